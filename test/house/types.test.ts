// Promises of the compiler to authors of modules and users of the client: unknown paths, wrong fields in
// domains and values, and undeclared dependencies do not compile.
// Begins first: it takes 12 s.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { root } from './sources.ts'

interface Complaint {
  /** `path:line`, relative to the tree. */
  readonly at: string
  /** `TS2345`, and everything the compiler said about it. */
  readonly text: string
}

/** Complaints of tsc about a project in a tree, which it checks or for which it writes declarations. */
async function compile(project: string, tree = root): Promise<Complaint[]> {
  const output = await new Promise<string>((done, fail) => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    // Other tests run at the same time: several compilers would each read the common output.
    const mode = tree === root ? [] : ['--noEmit']
    const args = [tsc, ...mode, '--pretty', 'false', '--checkers', '1', '-p', project]
    execFile(process.execPath, args, { cwd: tree, maxBuffer: 1 << 24 }, (error, out) =>
      error && typeof error.code !== 'number' ? fail(error) : done(out),
    )
  })
  const complaints: { at: string; text: string }[] = []
  for (const line of output.split('\n')) {
    const match = /^(\S.*)\((\d+),\d+\): error (TS\d+: .*)$/.exec(line)
    if (match) complaints.push({ at: `${match[1] as string}:${match[2]}`, text: match[3] as string })
    else if (/^error TS/.test(line)) assert.fail(line)
    else if (complaints.length && line.trim())
      (complaints.at(-1) as { text: string }).text += ` ${line.trim()}`
  }
  return complaints
}

/** Marks of a program: line → code and words. */
function marks(path: string): Map<string, { code: string; words: string }> {
  const errors = new Map<string, { code: string; words: string }>()
  for (const [i, line] of readFileSync(join(root, path), 'utf8').split('\n').entries()) {
    const mark = /⟵ (TS\d+): (.+)$/.exec(line)
    if (mark && !line.startsWith('//'))
      errors.set(`${path}:${i + 1}`, { code: mark[1] as string, words: mark[2] as string })
  }
  return errors
}

/** Differences between what a program is marked with and what the compiler says of it. */
async function judge(project: string, program: string): Promise<string[]> {
  const expected = marks(program)
  const complaints = (await compile(project, tree)).filter(({ at }) => at.startsWith('test/'))
  const wrong: string[] = []
  for (const [at, { code, words }] of expected) {
    const said = complaints.filter((complaint) => complaint.at === at).map((complaint) => complaint.text)
    if (!said.some((text) => text.startsWith(`${code}:`) && text.includes(words)))
      wrong.push(`${at}: expected ${code} with ${words}, the compiler said: ${said.join(' / ') || 'nothing'}`)
  }
  for (const { at, text } of complaints) if (!expected.has(at)) wrong.push(`${at}: ${text}`)
  return wrong
}

/**
 * Makes a tree of the sources in which every file is its declaration, so that the compiler looks at what a
 * module writes and not again at all that it stands on.
 */
async function declareAll(tree: string): Promise<void> {
  const project = join(tree, 'declarations.json')
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    noCheck: true,
    outDir: tree,
    rootDir: root,
    typeRoots: [join(root, 'node_modules/@types')],
  }
  const exclude = [join(root, '**/*.test.ts'), join(root, 'src/pages')]
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: [join(root, 'src')],
    exclude,
  }
  writeFileSync(project, JSON.stringify(settings))
  assert.deepEqual(await compile(project), [])
  for (const file of globSync('src/**/*.json', { cwd: root })) cpSync(join(root, file), join(tree, file))
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'junction')
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const declared = JSON.stringify({ type: 'module', imports }).replaceAll('.ts"', '.d.ts"')
  writeFileSync(join(tree, 'package.json'), declared)
  for (const part of ['tsconfig.json', 'test/types', 'test/fixtures/modules'])
    cpSync(join(root, part), join(tree, part), { recursive: true })
}

let tree: string
before(async () => {
  tree = mkdtempSync(join(tmpdir(), 'comptoir-types-'))
  await declareAll(tree)
})
after(() => rmSync(tree, { recursive: true, force: true }))

test('wrong paths, fields, values and parameters do not compile, and say why', async () => {
  assert.ok(marks('test/types/refused/programs.ts').size >= 20)
  assert.deepEqual(await judge('test/types/refused', 'test/types/refused/programs.ts'), [])
})

test('a field of a module that is not in `depends` does not exist for the compiler', async () => {
  assert.ok(marks('test/types/undeclared/program.ts').size >= 3)
  assert.deepEqual(await judge('test/types/undeclared', 'test/types/undeclared/program.ts'), [])
})

test('with the module in view the same program compiles, its types inferred', async () => {
  assert.deepEqual(await judge('test/types/accepted', 'test/types/accepted/program.ts'), [])
})

test('the typed client: rows narrow to the fields asked for; domains, values and parameters are checked', async () => {
  for (const file of ['program.ts', 'written.ts'])
    assert.ok(
      readFileSync(join(root, 'test/types/client', file), 'utf8').split('@ts-expect-error').length > 10,
    )
  assert.deepEqual(await compile('test/types/client', tree), [])
})

/** Names in `depends` of a module's declaration, and theirs. */
function withDependencies(folder: string, module: string, seen = new Set<string>()): Set<string> {
  seen.add(module)
  const text = readFileSync(join(folder, module, 'index.ts'), 'utf8')
  for (const [, need] of (/depends:\s*\[([^\]]*)\]/.exec(text)?.[1] ?? '').matchAll(/['"]([^'"]+)['"]/g)) {
    if (!seen.has(need as string)) withDependencies(folder, need as string, seen)
  }
  return seen
}

test('every module compiles with nothing but its dependencies in view', async () => {
  const folder = join(root, 'src/modules')
  const modules = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.ok(modules.length > 10)
  for (const { name } of modules) {
    // Sources next to declarations, which the compiler would prefer; tests use folders with all
    // modules.
    const sources = globSync(`src/modules/${name}/**/*.ts`, {
      cwd: root,
      exclude: (path) => path.endsWith('.test.ts'),
    })
    for (const file of sources) cpSync(join(root, file), join(tree, file))
    const project = join(tree, `${name}.json`)
    const settings = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
      include: [...withDependencies(folder, name)].map((module) => join(tree, 'src/modules', module)),
      exclude: [],
    }
    writeFileSync(project, JSON.stringify(settings))
    assert.deepEqual(await compile(project, tree), [], `module ${name}`)
    for (const file of sources) rmSync(join(tree, file))
  }
})
