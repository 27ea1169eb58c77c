// Files of `comptoir module new`: a module with one model, its rights and a test, ready to run and to change.
import { programs } from './programs.ts'

/** A file of the scaffold, its path relative to the folder of the project. */
export interface ScaffoldFile {
  readonly path: string
  readonly text: string
}

/** The folder and project around the new module. */
export interface Surroundings {
  /**
   * Whether Node.js takes TypeScript files there for modules: `"type": "module"` in the nearest package.json.
   */
  readonly isEsm: boolean
  readonly hasTsconfig: boolean
}

/**
 * Options of a project whose files Node.js runs as they stand; docs/guides/modules.md has the same as a
 * command.
 */
const TSCONFIG = `{
  "compilerOptions": {
    "module": "nodenext",
    "target": "esnext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "exactOptionalPropertyTypes": true,
    "verbatimModuleSyntax": true,
    "erasableSyntaxOnly": true,
    "allowImportingTsExtensions": true,
    "noEmit": true,
    "skipLibCheck": true
  }
}
`

/** The files of a module called `name`, and surrounding ones if they are missing. */
export function filesOf(name: string, { isEsm, hasTsconfig }: Surroundings): readonly ScaffoldFile[] {
  const moduleFiles = programs(name).map(({ path, text }) => ({ path: `${name}/${path}`, text }))
  return [
    ...moduleFiles,
    ...(isEsm
      ? []
      : [
          {
            path: `${name}/package.json`,
            text: `${JSON.stringify({ private: true, type: 'module' }, null, 2)}\n`,
          },
        ]),
    ...(hasTsconfig ? [] : [{ path: 'tsconfig.json', text: TSCONFIG }]),
  ]
}
