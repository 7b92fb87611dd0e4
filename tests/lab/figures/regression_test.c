/* regression_test.c: least squares and Student's t against known values: NIST's certified ones (Longley, a set made to be hard), and
 * SciPy's and statsmodels' for the published reading speeds of study G1. */
#include "lab/figures/regression.h"

#include <math.h>

#include "support.h"

static void assert_near(double seen, double expected, double relative)
{
    if (!(fabs(seen - expected) <= relative * fabs(expected)))
        fail_msg("%.17g where %.17g is right", seen, expected);
}

/* batch, batches, repetition */
static const double g1[8][3] = {{2, 3, 1}, {2, 3, 2}, {2, 6, 1}, {2, 6, 2}, {4, 3, 1}, {4, 3, 2}, {4, 6, 1}, {4, 6, 2}};
static const double g1_images[8] = {8.5267, 9.8405, 7.6539, 8.5944, 12.7924, 12.2952, 12.9315, 13.4508};
static const double g1_decoded[8] = {26.6951, 34.5163, 43.4083, 62.0957, 68.5986, 35.6805, 151.8266, 170.6985};

typedef struct {
    double slope, error, t, p;
} expected_slope;

static void check(const tri__regression *fit, double intercept, double r2, const expected_slope *want)
{
    assert_near(fit->intercept, intercept, 1e-9);
    assert_near(fit->r2, r2, 1e-9);
    for (int j = 0; j < fit->columns; j++) {
        assert_near(fit->column[j].slope, want[j].slope, 1e-9);
        assert_near(fit->column[j].error, want[j].error, 1e-9);
        assert_near(fit->column[j].t, want[j].t, 1e-9);
        assert_near(fit->column[j].p, want[j].p, 1e-9);
    }
}

static void regression_on_all_columns_has_the_reference_values(void **state)
{
    (void)state;
    tri__regression fit;
    assert_ok(tri__regression_fit(&g1[0][0], g1_images, 8, 3, &fit));
    check(&fit, 3.895700000000005, 0.9385566537456423,
          (expected_slope[]){{2.1068000000000016, 0.27229229526833854, 7.737273645307492, 0.0015028648158283762},
                             {-0.068683333333334096, 0.18152819684555893, -0.37836178911515711, 0.72438570217623977},
                             {0.56909999999999705, 0.54458459053667763, 1.0450167152896486, 0.35500644635294765}});
    assert_ok(tri__regression_fit(&g1[0][0], g1_decoded, 8, 3, &fit));
    check(&fit, -126.46872499999989, 0.7847421319301159,
          (expected_slope[]){{32.51110000000002, 12.103885284582955, 2.6860052979360507, 0.054885148044604197},
                             {21.878216666666653, 8.0692568563886322, 2.7113050254863458, 0.053465081405828653},
                             {3.1155999999999864, 24.20777056916593, 0.12870247555834025, 0.90380480601958213}});
    assert_int_equal(fit.freedom, 4);
}

static void regression_on_one_column_has_the_reference_values(void **state)
{
    (void)state;
    const struct {
        double intercept, r2;
        expected_slope slope;
    } expected[3] = {
        {4.440274999999993, 0.919582678398802, {2.106800000000002, 0.25434727879253333, 8.2831631224900271, 0.00016766848655603547}},
        {11.069749999999996, 0.002199021164054793, {-0.068683333333332985, 0.59728691032094516, -0.11499219578816283, 0.91220308655174731}},
        {9.907024999999997, 0.01677495418278563, {0.56910000000000061, 1.7787247804489965, 0.31994831705012, 0.75985560618408599}},
    };
    for (int column = 0; column < 3; column++) {
        double x[8];
        for (int row = 0; row < 8; row++)
            x[row] = g1[row][column];
        tri__regression fit;
        assert_ok(tri__regression_fit(x, g1_images, 8, 1, &fit));
        check(&fit, expected[column].intercept, expected[column].r2, &expected[column].slope);
    }
}

/* Longley (1967), NIST's certified values: six columns that nearly follow from each other. Naive sums lose all digits here. */
static void regression_of_the_longley_data_has_the_certified_values(void **state)
{
    (void)state;
    static const double y[16] = {60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761,
                                 66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551};
    static const double x[16][6] = {
        {83.0, 234289, 2356, 1590, 107608, 1947},  {88.5, 259426, 2325, 1456, 108632, 1948},  {88.2, 258054, 3682, 1616, 109773, 1949},
        {89.5, 284599, 3351, 1650, 110929, 1950},  {96.2, 328975, 2099, 3099, 112075, 1951},  {98.1, 346999, 1932, 3594, 113270, 1952},
        {99.0, 365385, 1870, 3547, 115094, 1953},  {100.0, 363112, 3578, 3350, 116219, 1954}, {101.2, 397469, 2904, 3048, 117388, 1955},
        {104.6, 419180, 2822, 2857, 118734, 1956}, {108.4, 442769, 2936, 2798, 120445, 1957}, {110.8, 444546, 4681, 2637, 121950, 1958},
        {112.6, 482704, 3813, 2552, 123366, 1959}, {114.2, 502601, 3931, 2514, 125368, 1960}, {115.7, 518173, 4806, 2572, 127852, 1961},
        {116.9, 554894, 4007, 2827, 130081, 1962}};
    static const double slope[6] = {15.0618722713733,  -0.358191792925910E-01, -2.02022980381683,
                                    -1.03322686717359, -0.511041056535807E-01, 1829.15146461355};
    static const double error[6] = {84.9149257747669,  0.334910077722432E-01, 0.488399681651699,
                                    0.214274163161675, 0.226073200069370,     455.478499142212};
    tri__regression fit;
    assert_ok(tri__regression_fit(&x[0][0], y, 16, 6, &fit));
    assert_near(fit.intercept, -3482258.63459582, 1e-9);
    assert_near(fit.r2, 0.995479004577296, 1e-9);
    for (int j = 0; j < 6; j++) {
        assert_near(fit.column[j].slope, slope[j], 1e-9);
        assert_near(fit.column[j].error, error[j], 1e-9);
    }
}

static void students_t_has_known_probabilities(void **state)
{
    (void)state;
    const struct {
        double t, freedom, p;
    } known[] = {
        {0.5, 1, 0.70483276469913347},     {2.0, 6, 0.092426311531675118},    {-3.7, 6, 0.010088378932504586},
        {40, 3, 3.4380680789158506e-05},   {0.001, 17, 0.99921375667873435},  {12.5, 200, 7.1556936713524315e-27},
        {1.96, 1e6, 0.049996067585269852}, {700, 12, 4.8659065450005988e-29}, {0, 5, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_near(tri__student_p(known[i].t, known[i].freedom), known[i].p, 1e-9);
    assert_true(tri__student_p(INFINITY, 3) == 0);
    assert_true(isnan(tri__student_p(NAN, 3)));
    assert_true(isnan(tri__student_p(1, 0)));
}

static void regression_refuses_data_that_determine_nothing(void **state)
{
    (void)state;
    tri__regression fit;
    const double line[3] = {1, 2, 3}, same[3] = {5, 5, 5}, two[3][2] = {{1, 2}, {2, 4}, {3, 6}};
    assert_fails(tri__regression_fit(same, line, 3, 1, &fit), TRI_BAD_CALL, "column 1, which has one value only");
    assert_fails(tri__regression_fit(&two[0][0], line, 3, 2, &fit), TRI_BAD_CALL, "column 2, which follows from the columns before it");
    assert_fails(tri__regression_fit(line, line, 1, 1, &fit), TRI_BAD_CALL, "2 unknowns");
    assert_fails(tri__regression_fit(line, line, 3, 9, &fit), TRI_BAD_CALL, "9 columns");
    assert_fails(tri__regression_fit(line, (double[]){1, NAN, 2}, 3, 1, &fit), TRI_BAD_CALL, "no numbers");
    assert_ok(tri__regression_fit(line, (double[]){3, 5}, 2, 1, &fit)); /* two points: a line, and no way to doubt it */
    assert_near(fit.column[0].slope, 2, 1e-12);
    assert_true(isnan(fit.column[0].p));
    assert_ok(tri__regression_fit(line, same, 3, 1, &fit));
    assert_true(isnan(fit.r2) && fit.column[0].slope == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regression_on_all_columns_has_the_reference_values),
        cmocka_unit_test(regression_on_one_column_has_the_reference_values),
        cmocka_unit_test(regression_of_the_longley_data_has_the_certified_values),
        cmocka_unit_test(students_t_has_known_probabilities),
        cmocka_unit_test(regression_refuses_data_that_determine_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
