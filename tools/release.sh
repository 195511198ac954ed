#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a release consists of, in build/release-X.Y.Z: source archive, Debian packages, CHANGES.md and SHA256SUMS.
# Usage: tools/release.sh (make release); RELEASE_DEBS=0 leaves the packages out. It never commits or tags: it says what
# to type. The folder appears when it is complete; a failure leaves nothing.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

fail() {
  echo "release.sh: $1" >&2
  shift
  for line in "$@"; do echo "  $line" >&2; done
  exit 1
}
# Of the commit, and of nothing else: what is archived is what was looked at.
require_clean() {
  local changes
  changes=$(git status --porcelain)
  [ -z "$changes" ] || fail "the tree has changes that are not committed; commit or remove them:" "$changes"
}

[ $# = 0 ] || fail "unexpected argument '$1': version and notes come from CMakeLists.txt and CHANGELOG.md"
top=$(git rev-parse --show-toplevel 2>/dev/null) || fail "not a git checkout; the archive is made from a commit"
[ "$(cd "$top" && pwd -P)" = "$(pwd -P)" ] || fail "expected the top of a git checkout, which is $top"

version=$(sed -nE 's/^project\(adasample VERSION ([0-9]+\.[0-9]+\.[0-9]+)[ )].*/\1/p' CMakeLists.txt)
[ -n "$version" ] || fail "CMakeLists.txt: expected a line 'project(adasample VERSION X.Y.Z ..'"
name=adasample-$version
folder=build/release-$version
tag=v$version

require_clean
heading=$(grep -E "^## ${version//./\\.} - [0-9]{4}-[0-9]{2}-[0-9]{2}\$" CHANGELOG.md || true)
if [ -z "$heading" ]; then
  pending=$(grep -m1 -iE "^## (${version//./\\.}( - unreleased)?|unreleased)\$" CHANGELOG.md || true)
  [ -n "$pending" ] || fail "CHANGELOG.md: no section of version $version; add one that begins with" "## $version - YYYY-MM-DD"
  fail "CHANGELOG.md: version $version has no date yet ('$pending'); type" \
    "sed -i 's/^$pending\$/## $version - $(date -u +%F)/' CHANGELOG.md" \
    "git commit -m 'Release $version' CHANGELOG.md" \
    "make release"
fi
commit=$(git rev-parse HEAD)
if tagged=$(git rev-parse -q --verify "refs/tags/$tag^{commit}") && [ "$tagged" != "$commit" ]; then
  fail "the tag $tag is another commit ($tagged); raise the version in CMakeLists.txt or check out the tag"
fi
[ ! -e "$folder" ] || fail "$folder: already exists; nothing was overwritten"

mkdir -p build
stage=$(mktemp -d "build/.release-$version.XXXXXX")
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT TERM

awk -v heading="$heading" '/^## / { inside = $0 == heading } inside' CHANGELOG.md > "$stage/CHANGES.md"
[ "$(grep -c '[^[:space:]]' "$stage/CHANGES.md")" -gt 1 ] || fail "CHANGELOG.md: the section of version $version is empty"
# The commit's time and no name of ours in gzip's header: the same bytes on any machine.
git archive --format=tar --prefix="$name/" "$commit" | gzip -n -9 > "$stage/$name.tar.gz"

if [ "${RELEASE_DEBS:-1}" != 0 ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit") make deb
  require_clean
  [ "$(git rev-parse HEAD)" = "$commit" ] || fail "another commit was checked out meanwhile; start again"
  count=0
  for deb in build/deb/*.deb; do
    [ -e "$deb" ] || fail "build/deb: make deb left no package"
    case $(basename "$deb") in
      *_"$version"_*) cp "$deb" "$stage/"; count=$((count + 1)) ;;
      *) fail "$deb: is not of version $version" ;;
    esac
  done
  echo "release.sh: $count Debian packages" >&2
fi

(
  cd "$stage"
  files=(*)
  sha256sum -- "${files[@]}" > SHA256SUMS
  sha256sum --quiet -c SHA256SUMS
)
chmod 755 "$stage"
sync "$stage"/* 2>/dev/null || true
mv -T "$stage" "$folder"

echo "$folder:"
(cd "$folder" && stat -c '%12s  %n' -- *)
echo "Made from commit $commit. To publish it, type"
[ -n "${tagged:-}" ] || echo "  git tag -a $tag -m 'adasample $version' $commit"
echo "  git push origin $tag"
echo "and upload the files of $folder."
