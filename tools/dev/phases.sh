# Phases of `./dev test` and `./dev check`: a line each with the time it took, and closing lines. Sourced by ./dev.

failed=()
closings=
logs=build/test-logs

# phase NAME COMMAND…: the output is shown only if it failed.
phase() {
    local name=$1 log=$logs/${1// /-}.log began=$SECONDS status=0
    shift
    printf '%-34s' "$name"
    with_progress "$name" "$log" "$@" || status=$?
    if ((status == 0)); then
        printf 'ok      %4d s\n' $((SECONDS - began))
    else
        printf 'FAILED  %4d s\n' $((SECONDS - began))
        grep -Ev ' Test +#[0-9]+:.* Passed | +Start +[0-9]+: ' "$log" || true
        failed+=("$name")
    fi
    return "$status"
}

# tests_phase PRESET [options of tools/run_tests…]: its closing lines are kept for the end.
tests_phase() {
    local preset=$1 name="test $1"
    shift
    rm -f "$logs/$preset.json"
    phase "$name" tools/run_tests "build/$preset" --log "$logs/$preset" --summary "$logs/$preset.json" "$@" || true
    closings="$closings
$name
$(sed -n '/% tests passed/,$p' "$logs/${name// /-}.log")
"
}

# close_phases TITLE BEGAN: the last lines, and a failure if there was one.
close_phases() {
    printf '%-34s%s  %4d s\n%s\n' "$1" "$([[ ${failed[*]} ]] && echo FAILED || echo 'ok    ')" \
        $((SECONDS - $2)) "$closings"
    ((${#failed[@]} == 0)) || die "failed: $(printf '%s; ' "${failed[@]}")"
}
