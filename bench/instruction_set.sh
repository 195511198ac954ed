# SPDX-License-Identifier: Apache-2.0
# For bench/compare.sh: which CPU this is, and how programs are told to use less than it has.

cpu_name() {
  local name
  name=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
  [ -n "$name" ] || name=$(uname -m)
  echo "$name"
}

# The best that programs here know by name: avx512_vnni, avx512, avx_vnni, avx2, neon, or the machine's architecture.
instruction_set() {
  local flags=" $(sed -n 's/^\(flags\|Features\)[[:space:]]*: //p' /proc/cpuinfo | head -n 1) "
  case "$flags" in
    *" avx512_vnni "*) echo avx512_vnni ;;
    *" avx512bw "*) echo avx512 ;;
    *" avx_vnni "*) echo avx_vnni ;;
    *" avx2 "*) echo avx2 ;;
    *" asimd "*) echo neon ;;
    *) uname -m ;;
  esac
}

# Says so and ends with 2 where the name is none of ours or the CPU has not got it.
limit_instruction_set() {
  local rank most=0 wanted=0 name=0
  for rank in avx2 avx512 avx512_vnni; do
    name=$((name + 1))
    [ "$rank" = "$1" ] && wanted=$name
    [ "$rank" = "$(instruction_set)" ] && most=$name
  done
  [ "$(instruction_set)" = avx_vnni ] && most=1
  [ -n "$1" ] || return 0
  if [ $wanted = 0 ]; then
    echo "ISA=$1: must be avx2, avx512 or avx512_vnni" >&2
    exit 2
  elif [ $wanted -gt $most ]; then
    echo "ISA=$1: this CPU has $(instruction_set)" >&2
    exit 2
  fi
  export ADASAMPLE_MAX_ISA=$1
  case $1 in  # oneDNN in both programs, PyTorch's own loops, OpenBLAS
    avx2) export ONEDNN_MAX_CPU_ISA=AVX2 DNNL_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 OPENBLAS_CORETYPE=Haswell ;;
    avx512) export ONEDNN_MAX_CPU_ISA=AVX512_CORE DNNL_MAX_CPU_ISA=AVX512_CORE OPENBLAS_CORETYPE=SkylakeX ;;
    avx512_vnni) export ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI DNNL_MAX_CPU_ISA=AVX512_CORE_VNNI ;;
  esac
}
