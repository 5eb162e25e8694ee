"""What `/metrics` says, read by Prometheus's own parser."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.support.web import fetch


class Figures:
    """The samples of one scrape."""

    def __init__(self, text: str) -> None:
        self.families = list(text_string_to_metric_families(text))

    def of(self, name: str, **labels: str) -> float:
        """The sum of the samples of this name that have these labels; 0 where there are none."""
        return sum(
            sample.value
            for family in self.families
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def by(self, name: str, label: str) -> dict[str, float]:
        """The same for each value of a label."""
        values = [s.labels[label] for f in self.families for s in f.samples if s.name == name]
        return {value: self.of(name, **{label: value}) for value in values}


async def scrape(port: int) -> Figures:
    """The figures of the server on this port."""
    page = await fetch(port, "/metrics")
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    return Figures(page.body.decode())
