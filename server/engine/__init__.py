"""The rules of Crescent (`docs/rules.md`): pure, no I/O, no clock."""
