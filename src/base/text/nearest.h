/* nearest.h: "did you mean …?": the candidate that is nearest to a mistyped word. */
#ifndef TRI_BASE_TEXT_NEAREST_H
#define TRI_BASE_TEXT_NEAREST_H

typedef struct {
    const char *word;
    const char *best; /* NULL while no candidate is near enough to be meant */
    int edits;        /* between word and best */
} tri__nearest;

/* Start with tri__nearest_of, offer each candidate, read best. word and candidates are borrowed. */
tri__nearest tri__nearest_of(const char *word);
void tri__nearest_offer(tri__nearest *nearest, const char *candidate);

/* " (did you mean 'conv'?)", or "" where nothing is near. Writes into buffer and returns it. */
#define TRI_NEAREST_HINT 96
const char *tri__nearest_hint(const tri__nearest *nearest, char buffer[TRI_NEAREST_HINT]);

#endif
