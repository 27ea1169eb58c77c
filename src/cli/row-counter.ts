// Counts the rows of an export on their way into a file, and checks that it is complete.
import { StartupError } from '../errors.ts'
import { present } from '../kit/present.ts'

/** Counts rows that pass, and compares them with the last line, which is kept out of the file. */
export class Counter {
  readonly #isCsv: boolean
  readonly #tell: (count: number) => void
  #count = 0
  #end: number | null = null
  #rest = ''
  /** Within a cell whose text has more lines. */
  #isWithin = false

  constructor(isCsv: boolean, tell: (count: number) => void) {
    this.#isCsv = isCsv
    this.#tell = tell
  }

  async *pass(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer | string, void> {
    const decoder = new TextDecoder()
    for await (const chunk of source) {
      const lines = (this.#rest + decoder.decode(chunk, { stream: true })).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) {
        if (this.#isCsv && line.split('"').length % 2 === 0) this.#isWithin = !this.#isWithin
        if (!this.#isWithin) this.#count++
      }
      const last = lines.at(-1)
      if (!this.#isCsv && last?.startsWith('{"$end":')) {
        this.#count--
        this.#end = (JSON.parse(present(lines.pop())) as { $end: { rows: number } }).$end.rows
      }
      this.#tell(this.#count)
      if (lines.length) yield `${lines.join('\n')}\n`
    }
  }

  /**
   * The number of rows. Throws StartupError for an incomplete export; a broken connection was reported
   * before.
   */
  whole(): number {
    if (!this.#isCsv && this.#end !== this.#count)
      throw new StartupError('The export is incomplete: the connection ended early. Run it again.')
    return this.#isCsv ? Math.max(0, this.#count - 1) : this.#count
  }
}
