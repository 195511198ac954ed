#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What must hold of Debian packages whoever builds them: check_debs.sh FOLDER
#   no file in them names the folder they were built in; the weights carry their own licence; each has a copyright.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
source=$PWD work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check_debs.sh: $*" >&2; exit 1; }

packages=("$folder"/*.deb)
[ -e "${packages[0]}" ] || fail "$folder: no package in it"
for package in "${packages[@]}"; do
  name=$(dpkg-deb -f "$package" Package)
  mkdir "$work/$name"
  dpkg-deb -R "$package" "$work/$name"
  told=$(grep -rlaF -e "$source" -e "$folder" "$work/$name" || true)
  [ -z "$told" ] || fail "$(basename "$package"): these files name the folder it was built in: ${told//"$work/$name/"/}"
  [ -s "$work/$name/usr/share/doc/$name/copyright" ] || fail "$(basename "$package"): has no copyright file"
  if [ "$name" = adasample-weights ]; then
    cmp "$work/$name/usr/share/doc/$name/copyright" weights/LICENSE || fail "$(basename "$package"): is not under weights/LICENSE"
  fi
done
echo "${#packages[@]} packages: no build path, each with its licence"
