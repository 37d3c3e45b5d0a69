# Fuzz targets: those of the sanitized build, or of the preset `fuzz`, which is optimised. Sourced by ./dev.

# fuzz_one TARGET SECONDS: seeds come from the project, finds go to the build directory.
fuzz_one() {
    local target=$1 seconds=$2 name=${1##*/}
    name=${name%_fuzz}
    local corpus=build/fuzz/corpus/$name seeds=() dictionary=()
    [[ -d tests/fuzz/corpus/$name ]] && seeds=("tests/fuzz/corpus/$name")
    [[ -f tests/fuzz/$name.dict ]] && dictionary=("-dict=tests/fuzz/$name.dict")
    mkdir -p "$corpus" build/fuzz/findings
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/findings/$name-" "${dictionary[@]}" "$corpus" "${seeds[@]}" </dev/null
}

fuzz_targets() { find "build/$1/tests/fuzz" -maxdepth 2 -type f -executable -name '*_fuzz' 2>/dev/null | sort; }

# fuzz_told TARGET SECONDS: one line for a target that found nothing; the end of its log for one that did.
fuzz_told() {
    local name=${1##*/} log=$logs/fuzz-${1##*/}.log status=0
    fuzz_one "$@" >"$log" 2>&1 || status=$?
    # One that says nothing of its runs had none.
    ((status != 0)) || grep -q '^Done [1-9]' "$log" || status=1
    if ((status == 0)); then
        printf '%-20s ok  %s\n' "$name" "$(grep -m1 '^Done ' "$log")"
    else
        printf '%-20s FAILED with exit code %d, the end of %s:\n%s\n' "$name" "$status" "$log" "$(tail -n 60 "$log")"
    fi
    return "$status"
}

# fuzz_all PRESET SECONDS: as many at a time as there are processors, each target being one thread.
fuzz_all() {
    local preset=$1 seconds=$2 status=0 wave=() target process
    mkdir -p "$logs"
    local built declared
    built=$(fuzz_targets "$preset" | wc -l)
    declared=$(grep -c '^umavez_fuzz(' tests/fuzz/CMakeLists.txt)
    ((built == declared)) || { echo "$built fuzz targets are built, $declared are declared"; return 1; }
    for target in $(fuzz_targets "$preset") ''; do
        [[ -n $target ]] && { fuzz_told "$target" "$seconds" & wave+=($!); }
        [[ -n $target ]] && ((${#wave[@]} < jobs)) && continue
        for process in "${wave[@]}"; do wait "$process" || status=1; done
        wave=()
    done
    return "$status"
}
