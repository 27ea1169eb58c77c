// Properties over random documents: a few for each change, thousands where COMPTOIR_TEST_DOCUMENTS asks for
// them. COMPTOIR_TEST_REPEAT repeats a run; a failure says its seed.
import fc from 'fast-check'

/** The number of documents that a property is judged over. */
export const documents = (few: number): number => Number(process.env.COMPTOIR_TEST_DOCUMENTS ?? few)

const isShort = process.env.COMPTOIR_TEST_DOCUMENTS === undefined
const seed = process.env.COMPTOIR_TEST_REPEAT ?? (isShort ? '50' : undefined)

/**
 * Judges `runs` random values. A value that fails is not made smaller, as a run takes seconds: it is printed
 * with its seed.
 */
export const holds = <T>(arbitrary: fc.Arbitrary<T>, runs: number, judge: (value: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(arbitrary, judge), {
    numRuns: Math.max(1, Math.ceil(runs)),
    endOnFailure: true,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  })

export const decimal = (min: number, max: number, places: number): fc.Arbitrary<number> =>
  fc.integer({ min: min * 10 ** places, max: max * 10 ** places }).map((n) => n / 10 ** places)
