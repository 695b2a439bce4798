#!/bin/sh
# Links; once more if the linker hangs, as mold 1.10 does now and then.
timeout -k 5 300 "$@"
status=$?
if [ $status -eq 124 ] || [ $status -eq 137 ]; then
    exec "$@"
fi
exit $status
