#!/bin/bash
# SPDX-License-Identifier: MIT
# smc_advise: options, and signals. tests/kernel/guest/advise.py has what it finds.
cd "$(dirname "$0")/../.." || exit 1
tool=smc_advise
. tests/cli/tool.sh

# ---- options ----
for word in '' 0 0m -1 1d 1.5 m 1mm 169h 10081m 99999999999999999999 ' 1' +1 0x10; do
	refuse 'is not a time from 1s to 168h' --for "$word"
done
refuse "unexpected argument 'x'" x
refuse 'no network namespace' -N there-is-none
capture env SMC_TOOLS_ROOT="$tmp" "$BUILD/smc_advise"
refused 1 '^smc_advise: a recorded host ' 'a recorded host cannot be watched'

# ---- metadata for packagers about libraries that are loaded on demand ----
objcopy --dump-section ".note.dlopen=$tmp/note" "$BUILD/smc_advise" "$tmp/copy"
is "$(tail -c +17 "$tmp/note" | tr -d '\0' | jq -c '.[] | [.soname, .priority]')" '[["libbpf.so.1"],"suggested"]' \
	'ELF note: names the library that can be loaded'
like "$(od -An -tx1 -N16 "$tmp/note")" ' 46 44 4f 00$' 'ELF note: its owner is FDO'

# ---- a report without a reader: the first Ctrl-C ends the watch, another one the program ----
# The pipe is full and not read; signals are sent until it ends.
status=$(python3 - "$BUILD/smc_advise" <<'EOF'
import os, signal, subprocess, sys, time
reader, writer = os.pipe()
os.set_blocking(writer, False)
try:
    while True:
        os.write(writer, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(writer, True)
process = subprocess.Popen([sys.argv[1], "--for", "3600"], stdout=writer, stderr=subprocess.PIPE)
end = time.monotonic() + 60
while process.poll() is None and time.monotonic() < end:
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)  # a background job ignores SIGINT
print(process.poll())
process.kill()
EOF
)
# 1: this host does not permit watching.
case $status in
-15 | 1) ok 0 'a signal ends it while its report is not taken' ;;
*) ok 1 'a signal ends it while its report is not taken'; diag "$status" ;;
esac
plan_done
