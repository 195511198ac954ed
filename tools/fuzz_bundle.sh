#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzz targets for a machine that has neither clang nor the libraries, as one archive:
#   fuzz_bundle.sh BUILD_DIR FILE.tar.xz
# There: tar xJf FILE.tar.xz && fuzz/run.sh SECONDS JOBS [RESULTS]
set -euo pipefail
[ $# -eq 2 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) file=$(realpath "$2")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/fuzz/bin" "$work/fuzz/lib" "$work/fuzz/last-resort" "$work/fuzz/libexec/adasample" "$work/fuzz/seeds"
cp "$build"/bin/*_fuzz "$work/fuzz/bin"
cp "$build"/libexec/adasample/adasample-hdf5 "$work/fuzz/libexec/adasample" 2>/dev/null || rmdir -p --ignore-fail-on-non-empty "$work/fuzz/libexec/adasample"
programs=$(find "$work/fuzz/bin" "$work/fuzz/libexec" -type f)
strip --strip-debug $programs
cp -r tests/fuzz/seeds/* "$work/fuzz/seeds"
cp tools/fuzz_campaign.sh "$work/fuzz"
# The C library and what goes with it is the machine's own; the compiler's libraries only where it has none.
ldd $programs | awk '$2 == "=>" { print $3 }' | sort -u | while read -r library; do
  case $(basename "$library") in
    libc.so* | libm.so* | libpthread.so* | libdl.so* | librt.so* | libresolv.so* | ld-linux*) ;;
    libstdc++.so* | libgcc_s.so*) cp -L "$library" "$work/fuzz/last-resort" ;;
    *) cp -L "$library" "$work/fuzz/lib" ;;
  esac
done
cat >"$work/fuzz/run.sh" <<'RUN'
#!/usr/bin/env bash
# run.sh SECONDS [JOBS] [RESULTS]: fuzz_campaign.sh on what lies here. Call it as often as you like; RESULTS/table.txt is over all calls.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export FUZZ_LIBRARIES=$here/lib
missing() { LD_LIBRARY_PATH=$FUZZ_LIBRARIES ldd "$here"/bin/*_fuzz "$here"/libexec/adasample/* | grep 'not found' | sort -u; }
if missing >/dev/null; then FUZZ_LIBRARIES=$here/lib:$here/last-resort; fi
if missing >&2; then exit 2; fi
exec "$here/fuzz_campaign.sh" "$here" "$1" "${2:-$(nproc)}" "${3:-$here/results}"
RUN
chmod +x "$work/fuzz/run.sh"
tar -C "$work" -c fuzz | xz -T0 -6 >"$file"
du -h "$file"
