// The check of prose: what it finds in documents and sources, and what it lets through.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTemp } from '../../test/support/temp.ts'
import { identifierFindings } from './identifiers.ts'
import { missingFiles } from './links.ts'
import { findings } from './rules.ts'
import { proseOfDocument, proseOfSource } from './texts.ts'

const wordsOf = (text: string): readonly string[] =>
  findings({ at: 'x', text }).map((line) => /"(.*?)"/.exec(line)?.[1] ?? '')

test('prose: reports sentences that begin with a relative pronoun, and no questions', () => {
  assert.deepEqual(wordsOf('It runs. What it writes is kept.'), ['What it writes is kept.'])
  assert.deepEqual(wordsOf('- **A key.** Nobody sees it.').length, 2)
  assert.deepEqual(wordsOf('What is kept? The answer, such as `Nobody`.'), [])
})

test('prose: reports words to avoid, and allows places and code', () => {
  assert.deepEqual(wordsOf('The command tells what stands behind the commit.'), ['tells', 'behind'])
  assert.deepEqual(wordsOf('A server behind a proxy; a replica that is behind; `tell`; told apart.'), [])
})

test('prose: reads paragraphs of documents without blocks of code', () => {
  const prose = proseOfDocument('a.md', '# A\nfirst\nsecond\n\n```sh\ntell\n```\n- item\n')
  assert.deepEqual(
    prose.map(({ at, text }) => [at, text]),
    [
      ['a.md:1', '# A'],
      ['a.md:2', 'first second'],
      ['a.md:8', '- item'],
    ],
  )
})

const wordsOfSource = (path: string, source: string): readonly string[] =>
  proseOfSource(path, source).map(({ text }) => text.trim())

test('prose: reads comments and messages of sources', () => {
  const source =
    "// One\n// two\n/** Three. */\nthrow new UserError('This is four words.')\nsql`SELECT a b FROM c`\n"
  assert.deepEqual(wordsOfSource('src/a.ts', source), ['One two', 'Three.', 'This is four words.'])
})

test('prose: reads comments and titles of tests', () => {
  const source = "// One\ntest('two', () => {})\nconst text = 'This is no message here.'\n"
  assert.deepEqual(wordsOfSource('src/a.test.ts', source), ['One', 'two'])
})

test('prose: reports files and scripts in documents that do not exist', () => {
  const temp = makeTemp('prose')
  try {
    mkdirSync(join(temp.path, 'src/kit'), { recursive: true })
    mkdirSync(join(temp.path, 'docs/notes'), { recursive: true })
    for (const [path, text] of [
      ['package.json', '{"scripts":{"soak":"node soak.ts"}}'],
      ['src/kit/dates.ts', ''],
      [
        'docs/map.md',
        '`kit/dates.ts` `kit/` `/x/1/openapi.json` `node gone.ts` `npm run soak` `npm run fuzz`',
      ],
      ['docs/notes/reads.md', '`gone.ts`'],
    ] as const)
      writeFileSync(join(temp.path, path), text)
    assert.deepEqual(missingFiles(temp.path, ['docs/map.md', 'docs/notes/reads.md']), [
      'docs/map.md: no file or folder is called gone.ts',
      'docs/map.md: package.json has no script fuzz',
    ])
  } finally {
    temp.remove()
  }
})

const namesIn = (source: string): readonly string[] =>
  identifierFindings('src/a.ts', source).map((line) => /:(\d+ ".*?")/.exec(line)?.[1] ?? '')

test('names: reports vague names of variables and parameters outside of short closures', () => {
  assert.deepEqual(
    namesIn('const one = 1\nlet { a: found, ...own } = b\nfor (const [, given = 1] of c) {}\n'),
    ['1 "one"', '2 "found"', '2 "own"', '3 "given"'],
  )
  assert.deepEqual(namesIn('function f(made: string, { told }: B) {}\n'), ['1 "made"', '1 "told"'])
  assert.deepEqual(namesIn('const a = b.map((one) => one.c)\nconst d = { one: 1 }\n'), [])
  assert.deepEqual(namesIn('const a = b.map((one) => {\n\n\n  return one\n})\n'), ['1 "one"'])
})

test('names: reports terms that have a replacement', () => {
  assert.deepEqual(namesIn('const doors = 1\nf((door) => door)\n'), ['1 "doors"', '2 "door"'])
})
