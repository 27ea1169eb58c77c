// The guides that come with the package, and what the search knows of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Heading, headingsOf } from './markdown.ts'

const FOLDER = fileURLToPath(new URL('../../docs/guides/', import.meta.url))

export interface Guide {
  readonly title: string
  readonly text: string
  readonly headings: readonly Heading[]
}

let all: ReadonlyMap<string, Guide> | undefined

/** The guides by name, in the order of their titles; read once. */
export function guides(): ReadonlyMap<string, Guide> {
  if (all) return all
  // A copy of the package without its documents has none.
  const files = existsSync(FOLDER) ? readdirSync(FOLDER) : []
  const names = files.filter((name) => name.endsWith('.md') && name !== 'README.md')
  const read = names.map((name) => {
    const text = readFileSync(`${FOLDER}${name}`, 'utf8')
    const headings = headingsOf(text)
    return [basename(name, '.md'), { title: headings[0]?.title ?? name, text, headings }] as const
  })
  all = new Map(read.sort(([, guide], [, other]) => (guide.title < other.title ? -1 : 1)))
  return all
}

/** Address of a guide's page. */
export const guidePath = (name: string): string => `/doc/guides/${name}`

/** Links between guides, within one and to the web; other files of the checkout are not served. */
export function guideLink(target: string): string | null {
  if (/^(?:https?:\/\/|#)/.test(target)) return target
  const [, name = '', part = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  return guides().has(name) ? guidePath(name) + part : null
}

/** The parts of all guides, as the search looks for them: `path`, `guide`, `title`, `text`. */
export const guideParts = (): readonly object[] =>
  [...guides()].flatMap(([name, { title, headings }]) =>
    headings.map((part) => ({
      path: `${guidePath(name)}#${part.id}`,
      guide: title,
      title: part.title,
      text: part.text,
    })),
  )
