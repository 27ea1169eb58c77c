// Writes a scaffold: checks the surroundings first, and never overwrites a file.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartupError } from '../../errors.ts'
import { messageOf } from '../../kit/caught.ts'
import { modules } from '../../main.ts'
import { filesOf, type Surroundings } from './files.ts'

/** The names that models of a module begin with, tables and JavaScript follow from it. */
const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/
const LONGEST = 40

const wrong = (message: string): StartupError => new StartupError(message, { exitCode: 2 })

/**
 * Writes the module below `folder`; gives the paths of what was written, relative to it. Throws StartupError
 * and writes nothing when it cannot.
 */
export function writeScaffold(name: string, folder: string): readonly string[] {
  if (!NAME.test(name) || name.length > LONGEST)
    throw wrong(
      `${JSON.stringify(name)} is not a valid module name: use lower-case letters, digits and single underscores, starting with a letter, at most ${LONGEST} characters.`,
    )
  if (RESERVED.has(name)) throw wrong(`${name} is a reserved word of JavaScript: choose another name.`)
  if (modules.some((module) => module.name === name))
    throw wrong(`A module ${name} already exists: choose another name.`)
  if (existsSync(join(folder, name)))
    throw wrong(`${join(folder, name)} already exists: nothing was written.`)
  const files = filesOf(name, surroundingsOf(folder))
  for (const { path, text } of files) put(join(folder, path), text)
  return files.map(({ path }) => path)
}

/** Reserved words, which `import NAME from` does not accept. */
const RESERVED = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in ' +
    'instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'
  ).split(' '),
)

function put(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    throw new StartupError(`${path} cannot be written: ${messageOf(error)}`, { cause: error })
  }
}

function surroundingsOf(folder: string): Surroundings {
  return { isEsm: typeOf(folder) === 'module', hasTsconfig: nearest(folder, 'tsconfig.json') !== null }
}

/** Options of tsconfig.json that a project needs for Node.js to run its files without a build. */
const NEEDED: Readonly<Record<string, RegExp>> = {
  '"allowImportingTsExtensions": true': /"allowImportingTsExtensions"\s*:\s*true/i,
  '"noEmit": true': /"(?:noEmit|rewriteRelativeImportExtensions)"\s*:\s*true/i,
  '"types": ["node"]': /"types"\s*:\s*\[[^\]]*"(?:node|\*)"/i,
}

/**
 * Options that the project's tsconfig.json lacks for a new module to compile, as lines of JSON; none if it
 * extends another file.
 */
export function lacksOf(folder: string): readonly string[] {
  const path = nearest(folder, 'tsconfig.json')
  // The compiler's template has many comments with examples.
  const text = path === null ? '' : readFileSync(path, 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')
  if (path === null || /"extends"\s*:/.test(text)) return []
  return Object.keys(NEEDED).filter((line) => !NEEDED[line]?.test(text))
}

/** The `type` of the nearest package.json. */
function typeOf(folder: string): unknown {
  const path = nearest(folder, 'package.json')
  if (path === null) return undefined
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { type?: unknown }).type
  } catch (error) {
    throw new StartupError(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** The file of this name in the folder or the nearest one above. */
function nearest(folder: string, name: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, name))) return join(at, name)
    if (dirname(at) === at) return null
  }
}
