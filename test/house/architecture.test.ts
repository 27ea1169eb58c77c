// The house: imports follow the arrows of docs/architecture.md, rooms are entered by their entry file, no
// circles of values or types, files say what they are for.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { entriesOf, type Import, importsOf, read, roomOf, root, type Source, sources } from './sources.ts'

/** Each step may import every step below it. Two rooms on one step do not know each other. */
const steps = [
  ['errors'],
  ['limits'],
  ['kit'],
  ['sql', 'config'],
  ['postgres', 'logins'],
  ['models'],
  ['access'],
  ['databases'],
  ['services'],
  ['wire', 'docs'],
  ['mcp'],
  ['http'],
  ['opening'],
  ['main'],
  ['testing'],
  ['cli'],
]
const step = new Map(steps.flatMap((rooms, level) => rooms.map((room) => [room, level] as const)))

/**
 * The layers of `models`, from the bottom up: a layer may use those below it and itself. The two entry
 * points are at the top: `#engine` for code that administers the engine, `#models` for code that
 * declares models.
 */
const floors = [
  'contract',
  'language',
  'behaviour',
  'kinds',
  'changes',
  'unit',
  'rights',
  'chains',
  'row',
  'domain',
  'rules',
  'load',
  'compute',
  'read',
  'write',
  'grouping',
  'manual',
  'terms',
  'transfer',
  'methods',
  'schema',
  'registry',
  'install',
  'engine.ts',
  'index.ts',
]

/** Why an import between two floors of `models` is against the rules, or null. */
function upwards({ from, to }: Import): string | null {
  const [ownLayer, other] = [from, to].map((path) => path.split('/')[2] ?? '') as [string, string]
  const [layerOfImporter, layerOfTarget] = [floors.indexOf(ownLayer), floors.indexOf(other)]
  if (layerOfImporter < 0 || layerOfTarget < 0)
    return `no floor of the engine is called ${layerOfImporter < 0 ? ownLayer : other}`
  return layerOfTarget > layerOfImporter ? `${other} is a floor above ${ownLayer}` : null
}

/** Layers that a business module may use, besides the modules it depends on. */
const underModules = new Set(['models', 'sql', 'kit', 'errors', 'limits'])

/**
 * The engine's entry points, `#models` and `#engine`, are for modules. These layers assemble, drive or
 * describe the engine, so they open its inner files.
 */
const engineRooms = new Set(['access', 'databases', 'services', 'docs'])

/** Why an import is against the rules, or null. */
function objection({ from, to, kind }: Import): string | null {
  if (!to.startsWith('src/')) return null
  const [room, target] = [roomOf(from), roomOf(to)]
  if (room === 'modules' && target === 'modules') return betweenModules(from, to)
  if (room === target) return room === 'models' ? upwards({ from, to, kind }) : null
  if (target === 'modules')
    return ['opening', 'main', 'testing'].includes(room) || (room === 'client' && kind === 'type')
      ? null
      : 'only main, and what opens databases, know the modules'
  if ((room === 'testing' || room === 'cli') && target === 'client') return null
  if (room === 'client')
    return kind === 'type' || target === 'errors'
      ? null
      : 'the client imports types and the table of errors, nothing else that runs'
  // Pages run in browsers: Vite builds them, the server sends what was built.
  if (room === 'pages') return kind === 'type' ? null : 'pages import types of other rooms, nothing that runs'
  if (room === 'modules') {
    if (!underModules.has(target))
      return `modules import ${[...underModules].join(', ')} and modules they depend on`
  } else {
    const [ownStep, other] = [step.get(room), step.get(target)]
    if (ownStep === undefined || other === undefined)
      return `no step of the house is called ${ownStep === undefined ? room : target}`
    if (other >= ownStep) return `${target} is not below ${room}`
  }
  if (target === 'models' && engineRooms.has(room)) return null
  const entries = entriesOf(target)
  return entries.length === 0 || entries.includes(to)
    ? null
    : `${target} is entered by ${entries.join(' or ')}`
}

const moduleOf = (path: string): string => path.split('/')[2] ?? ''

/** A module enters another by its index, and only one that its declaration names in `depends`. */
function betweenModules(from: string, to: string): string | null {
  const [ownModule, other] = [moduleOf(from), moduleOf(to)]
  if (ownModule === other || ownModule.endsWith('.ts')) return null
  if (!dependsOf(ownModule).includes(other)) return `${ownModule} does not name ${other} in depends`
  return to === `src/modules/${other}/index.ts` ? null : `${other} is entered by its index.ts`
}

function dependsOf(module: string): string[] {
  const text = readFileSync(new URL(`../../src/modules/${module}/index.ts`, import.meta.url), 'utf8')
  return [...(/depends:\s*\[([^\]]*)\]/.exec(text)?.[1] ?? '').matchAll(/['"]([^'"]+)['"]/g)].map(
    (match) => match[1] as string,
  )
}

/**
 * The one place where files may know each other's types: an environment has models, whose fields have
 * defaults, which ask the environment.
 */
const RECURSION = 'src/models/language/'

/**
 * Circles of imports of the given kinds, each as the files that reach each other (Tarjan's strongly connected
 * components).
 */
function circles(all: readonly Source[], kinds: readonly Import['kind'][]): string[][] {
  const edges = new Map(
    all.map((s) => [
      s.path,
      s.imports.filter((i) => kinds.includes(i.kind) && i.to.startsWith('src/')).map((i) => i.to),
    ]),
  )
  const order = new Map<string, number>()
  const waiting: string[] = []
  const cycles: string[][] = []
  /** The earliest file that a file leads back to, by its place in `order`. */
  const visit = (path: string): number => {
    const place = order.size
    order.set(path, place)
    waiting.push(path)
    let earliest = place
    for (const next of edges.get(path) ?? []) {
      if (!order.has(next)) earliest = Math.min(earliest, visit(next))
      else if (waiting.includes(next)) earliest = Math.min(earliest, order.get(next) ?? place)
    }
    if (earliest === place) {
      const circle = waiting.splice(waiting.indexOf(path))
      if (circle.length > 1 || edges.get(path)?.includes(path)) cycles.push(circle.sort())
    }
    return earliest
  }
  for (const path of edges.keys()) if (!order.has(path)) visit(path)
  return cycles
}

const all = sources()
const nothing = (violations: readonly string[]) =>
  assert.ok(violations.length === 0, `${violations.length} found\n${violations.join('\n')}`)

test('imports lead downwards only', () => {
  const imports = all.flatMap((source) => source.imports)
  assert.ok(imports.length > 100, 'the reader of imports found next to nothing')
  nothing(
    imports.flatMap((i) => {
      const why = objection(i)
      return why ? [`${i.from} imports ${i.to}: ${why}`] : []
    }),
  )
})

test('no files import values from each other in a circle', () =>
  nothing(circles(all, ['value']).map((circle) => circle.join(', '))))

test('values and types make no circle but in the language of the engine', () => {
  const [inside = [], ...others] = circles(all, ['value', 'type']).sort((a) =>
    a.every((path) => path.startsWith(RECURSION)) ? -1 : 1,
  )
  assert.ok(inside.length > 0, 'the language of the engine is no circle any more: this exception can go')
  nothing([
    ...inside.filter((path) => !path.startsWith(RECURSION)),
    ...others.map((circle) => circle.join(', ')),
  ])
})

test('every imported file of ours exists', () => {
  const paths = new Set(globSync('src/**/*.{ts,tsx,css,json}', { cwd: root }))
  nothing(
    all.flatMap((s) =>
      s.imports
        .filter((i) => i.to.startsWith('src/') && !paths.has(i.to))
        .map((i) => `${s.path} imports ${i.to}`),
    ),
  )
})

test('the first line of a file says what it is for', () => {
  const files = [...all, ...read('src/**/*.test.ts'), ...read('{scripts,test}/**/*.ts'), ...read('bin/*.js')]
  const lacking = files.filter(({ text }) => {
    const first = text
      .replace(/^#!.*\n/, '')
      .split('\n', 2)
      .join(' ')
    return !/^(\/\/|\/\*\*)\s*\S.{15,}/.test(first) || /^\/\/\s*biome-ignore/.test(first)
  })
  nothing(lacking.map((s) => s.path))
})

/** Files that are one table each. */
const TABLES = new Set(['src/errors.ts', 'src/config/options.ts', 'src/services/problems/table.ts'])

test('no file of the sources is longer than 300 lines, but tables', () => {
  const long = all.filter((s) => s.text.split('\n').length > 301).map((s) => s.path)
  nothing(long.filter((path) => !TABLES.has(path)))
  nothing([...TABLES].filter((path) => !long.includes(path)).map((path) => `${path} is short by now`))
})

test('no file is longer than 600 lines', () => {
  nothing(
    [...all, ...read('{scripts,test}/**/*.ts')]
      .filter((s) => s.text.split('\n').length > 601)
      .map((s) => s.path),
  )
})

test('comments stay within the columns that the formatter keeps for code', () => {
  const { formatter } = JSON.parse(readFileSync(new URL('../../biome.json', import.meta.url), 'utf8'))
  const comment = /^\s*(?:\/\/|\/?\*) \S+ /
  const files = [...all, ...read('src/**/*.test.ts'), ...read('{scripts,test}/**/*.ts')]
  nothing(
    files.flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, i) =>
          line.length > formatter.lineWidth && comment.test(line) && !/biome-ignore|https?:/.test(line)
            ? [`${path}:${i + 1}`]
            : [],
        ),
    ),
  )
})

test('no leftovers: marks of unfinished work, silenced types, tests that run alone', () => {
  const leftovers = [
    /\bTO\x44O\b|\bFIX\x4dE\b/,
    /@ts-\x69gnore|@ts-\x6eocheck/,
    /\b(?:test|it|describe)\.\x6fnly\(/,
  ]
  const files = [...all, ...read('src/**/*.test.ts'), ...read('{scripts,test}/**/*.ts')]
  nothing(
    files.flatMap((s) =>
      leftovers.filter((pattern) => pattern.test(s.text)).map((pattern) => `${s.path}: ${pattern.source}`),
    ),
  )
})

test('the architecture rules find what breaks them', () => {
  const [first] = importsOf('src/kit/a.ts', "import { b } from '../wire/b.ts'\n")
  assert.ok(first)
  assert.match(objection(first) ?? '', /wire is not below kit/)
  assert.match(
    objection({ from: 'src/http/a.ts', to: 'src/modules/base/index.ts', kind: 'type' }) ?? '',
    /only main/,
  )
  assert.match(
    objection({ from: 'src/modules/base/a.ts', to: 'src/services/call.ts', kind: 'type' }) ?? '',
    /modules import/,
  )
  assert.match(
    objection({ from: 'src/client/a.ts', to: 'src/kit/json.ts', kind: 'value' }) ?? '',
    /client imports types/,
  )
  assert.match(
    objection({ from: 'src/modules/base/a.ts', to: 'src/models/registry/registry.ts', kind: 'value' }) ?? '',
    /is entered by/,
  )
  assert.equal(objection({ from: 'src/http/a.ts', to: 'src/errors.ts', kind: 'value' }), null)
  assert.match(
    objection({ from: 'src/models/row/a.ts', to: 'src/models/write/b.ts', kind: 'type' }) ?? '',
    /write is a floor above row/,
  )
  assert.match(
    objection({ from: 'src/models/attic/a.ts', to: 'src/models/row/b.ts', kind: 'type' }) ?? '',
    /no floor .* attic/,
  )
  assert.equal(objection({ from: 'src/models/write/a.ts', to: 'src/models/row/b.ts', kind: 'value' }), null)
  const file = (from: string, to: string, kind: Import['kind']): Source => ({
    path: from,
    text: '',
    imports: [{ from, to, kind }],
  })
  const ring = [
    file('src/a.ts', 'src/b.ts', 'value'),
    file('src/b.ts', 'src/c.ts', 'type'),
    file('src/c.ts', 'src/a.ts', 'value'),
  ]
  assert.deepEqual(circles(ring, ['value']), [])
  assert.deepEqual(circles(ring, ['value', 'type']), [['src/a.ts', 'src/b.ts', 'src/c.ts']])
  assert.deepEqual(
    importsOf(
      `${dirname('src/x/y.ts')}/y.ts`,
      "import type { A } from './a.ts'\nimport {\n  b,\n} from './b.ts'\nexport * from './c.ts'\nimport './d.ts'\n",
    ).map((i) => `${i.kind} ${i.to}`),
    ['type src/x/a.ts', 'value src/x/b.ts', 'value src/x/c.ts', 'value src/x/d.ts'],
  )
})
