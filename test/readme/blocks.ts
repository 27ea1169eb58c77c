// Reads the blocks of README.md and the guides that are to be run: an HTML comment says how, a block says
// what, a `text` block may say what comes out.
//
//   <!-- run -->                                     runs the block (`sh`, `python` or `ts`); it must end with exit code 0
//   <!-- run: background until "listening on" -->    leaves it running once it has printed the words
//   <!-- file: loyalty/card.ts -->                   writes the block into a file
//   <!-- output contains -->                         before a `text` block: its lines were printed by the block above, `…` stands for anything

export interface Block {
  readonly line: number
  readonly language: string
  /** The file that the block is written to, instead of being run. */
  readonly file: string | null
  readonly commands: string
  /** Words after which a command counts as started; null for one that ends. */
  readonly until: string | null
  /** Lines that must be in the output, in this order. */
  readonly expected: readonly string[]
}

const LANGUAGES = ['sh', 'python', 'ts', 'yaml']
const MARKED =
  /<!-- (run|output contains|file: ([\w./-]+))(?:: background until "([^"]+)")? -->\s*\n```(\w*)[^\n]*\n([\s\S]*?)\n```/g

/** The blocks in order. Throws for marks that say something else or stand alone. */
export function blocksOf(markdown: string): Block[] {
  const blocks: {
    line: number
    language: string
    file: string | null
    commands: string
    until: string | null
    expected: string[]
  }[] = []
  let marks = 0
  for (const [, mark, file = null, until, language, text] of markdown.matchAll(MARKED)) {
    marks++
    const line = markdown.slice(0, markdown.indexOf(text as string)).split('\n').length
    if (file !== null) {
      blocks.push({
        line,
        language: language as string,
        file,
        commands: text as string,
        until: null,
        expected: [],
      })
    } else if (mark === 'run') {
      if (!LANGUAGES.includes(language as string))
        throw new Error(`line ${line}: a block to run is marked ${LANGUAGES.join(', ')}`)
      blocks.push({
        line,
        language: language as string,
        file: null,
        commands: text as string,
        until: until ?? null,
        expected: [],
      })
    } else {
      const above = blocks.at(-1)
      if (!above || language !== 'text')
        throw new Error(`line ${line}: an output is a text block below a block that runs`)
      above.expected.push(...(text as string).split('\n').filter((line) => line.trim()))
    }
  }
  const all = markdown.match(/<!-- (?:run|output|file)\b.*?-->/g)?.length ?? 0
  if (all !== marks) throw new Error(`${all - marks} marks are not followed by a block at once`)
  return blocks
}

/** The first expected line that the output lacks, or null. */
export function missing(expected: readonly string[], output: string): string | null {
  const lines = output.split('\n')
  let at = 0
  for (const wanted of expected) {
    const pattern = new RegExp(
      wanted
        .trim()
        .split('…')
        .map((part) => RegExp.escape(part))
        .join('.*'),
    )
    while (at < lines.length && !pattern.test(lines[at] as string)) at++
    if (at === lines.length) return wanted
  }
  return null
}
