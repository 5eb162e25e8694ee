#!/bin/sh
# Copy the data of a store that runs: deploy/backup.sh DATA COPY
#
# DATA is crescent-server's data directory, or that of a Valkey (its `dir`): the one with `appendonlydir` in it.
# COPY is made, and may be put in the place of DATA. What had been confirmed when this began is in it.
#
# The files of `appendonlydir` only grow, until a rewrite puts new ones in their place and names them in the
# manifest. So a copy is whole if the manifest was the same before and after.
set -eu
umask 077
if [ $# -ne 2 ] || [ ! -d "$1/appendonlydir" ]; then
    echo "usage: $0 DATA COPY, DATA being the directory with appendonlydir in it" >&2
    exit 2
fi
data=$1 copy=$2
mkdir "$copy"
for try in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$copy/appendonlydir"
    if cat "$data"/appendonlydir/*.manifest > "$copy/manifest" \
        && cp -R "$data/appendonlydir" "$copy/" 2> /dev/null \
        && cat "$data"/appendonlydir/*.manifest | cmp -s - "$copy/manifest"; then
        rm "$copy/manifest"
        exit 0
    fi
    sleep 1
done
rm -rf "$copy"
echo "$0: the store rewrites its file all the time; try again later" >&2
exit 1
