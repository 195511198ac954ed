#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Mutation testing: do the tests notice when the code is wrong? tools/mutants.txt lists small wrong changes. Each is made
# in a copy of the tree, the test program it names is built and run, and must fail.
#   tools/mutants.sh [--list | --check] [--only NAME|REGEX] [--jobs N]
#     --list    print the names, files and test programs, and do nothing
#     --check   only see that the text of every change is found exactly once
#     --only    the mutants whose name matches; may be given again
#     --jobs    compilers at a time, as many as there are cores by default
# The copy and its build stay in build/mutants, and your files are never touched. What was found with the same test
# program is taken from build/mutants/results.txt: a run that was stopped goes on there. Logs: build/mutants/logs.
# MUTANTS_FOLDER=FOLDER takes another place than build/mutants.
# Exit code: 0 all killed, 1 survivors or mistakes in the list, 2 wrong usage.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

list_file=tools/mutants.txt
work=${MUTANTS_FOLDER:-build/mutants}
tree=$work/tree results=$work/results.txt logs=$work/logs
limit=600 # seconds a test program may take; one that hangs has noticed
mode=run jobs=$(nproc) only=()
names=() whats=() files=() olds=() news=() tests=() filters=() chosen=()

fail() {
  echo "mutants.sh: $1" >&2
  exit "${2:-1}"
}

usage() { sed -n '3,13s/^# \{0,1\}//p' "$0"; }

while [ $# -gt 0 ]; do
  case $1 in
    --list) mode=list ;;
    --check) mode=check ;;
    --only | --jobs)
      [ $# -ge 2 ] || fail "$1 needs a value" 2
      if [ "$1" = --only ]; then only+=("$2"); else jobs=$2; fi
      shift
      ;;
    --help | -h) usage; exit 0 ;;
    *) fail "unknown argument '$1'; --help says what there is" 2 ;;
  esac
  shift
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "--jobs '$jobs', must be a whole number of 1 or more" 2

# A block of the list: "name: what is wrong then", and below it, indented, the words in, old, new and test.
read_list() {
  local line number=0 key value last=-1
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [[ $line =~ ^[[:space:]]*(#.*)?$ ]]; then
      continue
    elif [[ $line =~ ^([a-z0-9-]+):\ (.+)$ ]]; then
      last=$((last + 1))
      names[last]=${BASH_REMATCH[1]} whats[last]=${BASH_REMATCH[2]}
      files[last]='' olds[last]='' news[last]='' tests[last]='' filters[last]='*'
    elif [[ $last -ge 0 && $line =~ ^\ +(in|old|new|test)(\ +(.*))?$ ]]; then
      key=${BASH_REMATCH[1]} value=${BASH_REMATCH[3]}
      case $key in
        in) files[last]=$value ;;
        old) olds[last]=$value ;;
        new) news[last]=$value ;;
        test)
          tests[last]=${value%% *}
          [ "$value" = "${value%% *}" ] || filters[last]=${value#* }
          ;;
      esac
    else
      fail "$list_file:$number: expected 'name: what is wrong', or in, old, new or test, found '$line'"
    fi
  done < "$list_file"
  [ "$last" -ge 0 ] || fail "$list_file: holds no mutant"
}

wanted() {
  [ ${#only[@]} -gt 0 ] || return 0
  local pattern
  for pattern in "${only[@]}"; do
    if [[ $1 =~ ^($pattern)$ ]]; then return 0; fi
  done
  return 1
}

# The file's text before and after the change, in $text and $changed.
make_change() {
  local i=$1 path=$2 rest
  [ -f "$path" ] || { echo "no file ${files[i]}"; return 1; }
  text=$(cat "$path" && echo x)
  text=${text%x}
  [[ $text == *"${olds[i]}"* ]] || { echo "the old text is not in ${files[i]}"; return 1; }
  rest=${text#*"${olds[i]}"}
  [[ $rest != *"${olds[i]}"* ]] || { echo "the old text is in ${files[i]} more than once"; return 1; }
  changed=${text%%"${olds[i]}"*}${news[i]}$rest
}

check_list() {
  local i problem bad=0
  for i in "${!names[@]}"; do
    problem=''
    if [ -z "${files[i]}" ] || [ -z "${olds[i]}" ] || [ -z "${tests[i]}" ]; then
      problem="in, old and test must all be given"
    elif [ "${olds[i]}" = "${news[i]}" ]; then
      problem="old and new are the same"
    elif [[ " ${names[*]:0:i} " == *" ${names[i]} "* ]]; then
      problem="the name is given twice"
    elif ! make_change "$i" "${files[i]}" > "$work/problem"; then
      problem=$(cat "$work/problem")
    fi
    [ -z "$problem" ] || { echo "ERROR     ${names[i]}: $problem"; bad=1; }
  done
  rm -f "$work/problem"
  return $bad
}

# Copies what differs, so that only that is compiled again; sums of all files go to $work/sums.
copy_tree() {
  mkdir -p "$tree" "$logs"
  git ls-files -z -co --exclude-standard | while IFS= read -r -d '' path; do
    if [ -f "$path" ] && [ ! -L "$path" ]; then printf '%s\0' "$path"; fi
  done | sort -z | xargs -0 sha256sum > "$work/sums"
  { cd "$tree"; sha256sum -c --quiet ../sums 2> /dev/null || :; } | sed -nE 's/: FAILED( open or read)?$//p' |
    xargs -r -d '\n' cp --parents -t "$tree"
  comm -13 <(cut -c67- "$work/sums" | sort) \
    <(cd "$tree" && find . -path ./build -prune -o -type f -printf '%P\n' | sort) | sed "s|^|$tree/|" | xargs -r -d '\n' rm -f
}

build() { cmake --build "$tree/build/release" -j "$jobs" --target "$@"; }
run_test() {
  local program=$1 filter=$2
  shift 2
  OMP_WAIT_POLICY=passive timeout "$limit" "$tree/build/release/bin/$program" \
    --gtest_filter="$filter" --gtest_fail_fast --gtest_brief=1 "$@"
}

build_baseline() {
  echo "building $* as they are"
  (cd "$tree" && cmake --preset release -DADASAMPLE_TESTS=ON) > "$logs/configure.log" 2>&1 ||
    { tail -n 30 "$logs/configure.log"; fail "cannot be configured"; }
  build "$@" > "$logs/baseline.log" 2>&1 || { tail -n 30 "$logs/baseline.log"; fail "does not build without any change"; }
}

# The tests must pass before anything is wrong, and every filter must find one.
check_baseline() {
  local program=$1 i all=''
  for i in "${todo[@]}"; do
    [ "${tests[i]}" = "$program" ] || continue
    [ -n "$(run_test "$program" "${filters[i]}" --gtest_list_tests)" ] ||
      fail "${names[i]}: $program has no test ${filters[i]}"
    all=$all:${filters[i]}
  done
  [ -n "$all" ] || return 0
  run_test "$program" "${all#:}" > "$logs/baseline-$program.log" 2>&1 ||
    { tail -n 30 "$logs/baseline-$program.log"; fail "$program fails without any change"; }
}

mutated='' original=''
restore() {
  [ -z "$mutated" ] || printf '%s' "$original" > "$mutated"
  mutated=''
}

# Sets $outcome.
try_mutant() {
  local i=$1 log="$logs/${names[$1]}.log" code=0
  make_change "$i" "$tree/${files[i]}"
  original=$text mutated=$tree/${files[i]}
  printf '%s' "$changed" > "$mutated"
  if ! build "${tests[i]}" > "$log" 2>&1; then
    outcome="did not compile"
  else
    run_test "${tests[i]}" "${filters[i]}" >> "$log" 2>&1 || code=$?
    case $code in
      0) outcome=SURVIVED ;;
      124) outcome="killed (hung)" ;;
      *) outcome=killed ;;
    esac
  fi
  restore
}

main() {
  read_list
  for i in "${!names[@]}"; do
    if wanted "${names[i]}"; then chosen+=("$i"); fi
  done
  [ ${#chosen[@]} -gt 0 ] || fail "no mutant matches '${only[*]}'" 2
  if [ "$mode" = list ]; then
    for i in "${chosen[@]}"; do printf '%-40s %-46s %s\n' "${names[i]}" "${files[i]#src/adasample/}" "${tests[i]} ${filters[i]}"; done
    exit 0
  fi
  mkdir -p "$work"
  check_list || fail "the list does not fit the sources"
  [ "$mode" = run ] || { echo "${#names[@]} mutants, each found once"; exit 0; }

  git rev-parse --show-toplevel > /dev/null 2>&1 || fail "not a git checkout: git says which files belong to the tree"
  exec 9> "$work/lock"
  flock -n 9 || fail "another run is going on in $work"
  copy_tree
  trap 'restore; exit 130' INT TERM
  trap restore EXIT
  touch "$results"

  programs=()
  for i in "${chosen[@]}"; do
    [[ " ${programs[*]} " == *" ${tests[i]} "* ]] || programs+=("${tests[i]}")
  done
  build_baseline "${programs[@]}"

  # A test program, the files it reads and the change decide what comes of it: that is the key of a result.
  read_files=$(grep -E '  (tests/golden|weights)/' "$work/sums" | sha256sum)
  declare -A built
  for program in "${programs[@]}"; do built[$program]=$(sha256sum < "$tree/build/release/bin/$program"); done
  key_of() {
    printf '%s\n' "$read_files" "${built[${tests[$1]}]}" "${files[$1]}" "${olds[$1]}" "${news[$1]}" "${filters[$1]}" |
      sha256sum | cut -c1-32
  }
  known() { awk -F '\t' -v key="$1" '$1 == key { found = $3 } END { print found }' "$results"; }

  todo=() before=()
  for i in "${chosen[@]}"; do
    before[i]=$(known "$(key_of "$i")")
    [ -n "${before[i]}" ] || todo+=("$i")
  done
  for program in "${programs[@]}"; do check_baseline "$program"; done

  killed=0 survivors=() errors=()
  for i in "${chosen[@]}"; do
    outcome=${before[i]}
    if [ -z "$outcome" ]; then
      SECONDS=0
      try_mutant "$i"
      [ "$outcome" = "did not compile" ] ||
        printf '%s\t%s\t%s\n' "$(key_of "$i")" "${names[i]}" "$outcome" >> "$results"
      took="${SECONDS} s"
    else
      took="as before"
    fi
    printf '%-16s %-40s %-16s %s\n' "$outcome" "${names[i]}" "${tests[i]}" "$took"
    case $outcome in
      killed*) killed=$((killed + 1)) ;;
      SURVIVED) survivors+=("$i") ;;
      *) errors+=("$i") ;;
    esac
  done
  for i in "${survivors[@]}"; do echo "SURVIVED ${names[i]}: ${whats[i]} (${files[i]}, ${tests[i]} ${filters[i]})"; done
  for i in "${errors[@]}"; do echo "ERROR ${names[i]}: did not compile, see $logs/${names[i]}.log"; done
  echo "$killed of ${#chosen[@]} killed"
  [ "$killed" = "${#chosen[@]}" ]
}

main; exit # read to its end before it starts: it may be changed meanwhile
