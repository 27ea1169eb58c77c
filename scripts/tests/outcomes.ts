// Results of a run: failures are printed at once, counts and the slowest files at the end.
import type { FileOutcome } from './lane-process.ts'
import type { Result } from './reporter.ts'

/** Files that the end of a run lists. */
const SLOWEST = 10

export class Outcomes {
  readonly #files: { readonly file: string; readonly seconds: number }[] = []
  readonly #counts = { passed: 0, failed: 0, skipped: 0 }
  readonly #say: (text: string) => void

  constructor(say: (text: string) => void = console.log) {
    this.#say = say
  }

  get over(): number {
    return this.#files.length
  }

  get failed(): number {
    return this.#counts.failed
  }

  /** Counts a file's tests, and prints those that failed with the file's output. */
  add({ file, seconds, results, output }: FileOutcome): void {
    this.#files.push({ file, seconds })
    for (const { isSuite, outcome } of results) if (!isSuite) this.#counts[outcome]++
    const failures = failuresOf(results)
    if (failures.length === 0) return
    // A suite that fails by itself, as its hooks did, has no test that could be counted.
    if (!results.some(({ isSuite, outcome }) => !isSuite && outcome === 'failed')) this.#counts.failed++
    for (const { name, error } of failures) this.#say(`\nFAILED ${file}\n  ${name}\n${indent(error ?? '')}`)
    if (output.trim()) this.#say(`  It printed:\n${indent(output.trimEnd())}`)
  }

  tell(): void {
    const slowest = this.#files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
    this.#say('\nSlowest files:')
    for (const { file, seconds } of slowest) this.#say(`  ${seconds.toFixed(1).padStart(6)} s  ${file}`)
    const { passed, failed, skipped } = this.#counts
    this.#say(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
  }
}

/** Tests and suites that failed by themselves; names from the outermost suite on. */
function failuresOf(results: readonly Result[]): { name: string; error: string | undefined }[] {
  const failures: { nesting: number; name: string; error: string | undefined }[] = []
  // Results of inner tests come before those of the suites around them.
  let open: typeof failures = []
  for (const { nesting, name, isCause, error } of results) {
    if (nesting > 0)
      for (const failure of open.filter((inner) => inner.nesting > nesting)) {
        failure.name = `${name} > ${failure.name}`
        failure.nesting = nesting
      }
    if (nesting === 0) open = []
    if (!isCause) continue
    const failure = { nesting, name: nesting === 0 ? 'as a whole' : name, error }
    failures.push(failure)
    open.push(failure)
  }
  return failures
}

const indent = (text: string) => text.replaceAll(/^/gm, '    ')
