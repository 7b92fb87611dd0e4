# blocks.awk: a graph file of the trace of A·B: side × side blocks of b × b, block (i, j) on task i mod tasks.
# usage: awk -v side=16 -v b=512 -v tasks=2 -f blocks.awk
function block(name, matrix, i, j) {
    printf "%s%d_%d = random_block(%dx%d, init=uniform(1), matrix=%d, row=%d, column=%d, place=%d)\n",
        name, i, j, b, b, matrix, i * b, j * b, i % tasks
}
BEGIN {
    print "s0 = constant(value=0)"
    for (i = 0; i < side; i++)
        for (k = 0; k < side; k++) {
            block("a", 1, i, k)
            block("b", 2, k, i)
            printf "c%d_%d = matmul(a%d_%d, b%d_%d, place=%d)\n", i, k, i, k, k, i, i % tasks
            printf "t%d_%d = trace(c%d_%d)\n", i, k, i, k
            printf "s%d = add_n(s%d, t%d_%d, place=0)\n", sums + 1, sums, i, k
            sums++
        }
    printf "trace = add_n(s%d, s0)\n", sums
}
