// comptoir module new: begins a module of one's own.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { StartupError } from '../errors.ts'

const help = `
It writes NAME/index.ts (the module), NAME/task.ts (a model: contract and implementation), NAME/rights.ts (access rights) and NAME/NAME.test.ts
(a test), and where they are missing: tsconfig.json, and NAME/package.json, which declares the files as ES modules.

  $ npx comptoir module new loyalty
  $ node --test loyalty/loyalty.test.ts
  $ npx comptoir dev --addons ./loyalty

docs/guides/modules.md of the package continues from there, step by step.`

/** The command `module new`. */
export function newCommand(): Command {
  return new Command('new')
    .description(
      'Create a module: a folder with a model, its access rights and a test, ready to compile, test and install.',
    )
    .argument('<name>', 'name of the module, such as loyalty or loyalty_sale')
    .option('--dir <directory>', 'folder that gets the folder of the module', '.')
    .option('--json', 'list the written files as JSON, for programs')
    .addHelpText('after', help)
    .action(async (name: string, { dir, json }: { dir: string; json?: true }) => {
      const folder = resolve(dir)
      if (!existsSync(folder)) throw new StartupError(`Folder not found: ${folder}`, { exitCode: 2 })
      const { lacksOf, writeScaffold } = await import('./scaffold/write.ts')
      const files = writeScaffold(name, folder).map((path) => relative(process.cwd(), join(folder, path)))
      const options = lacksOf(folder)
      console.log(
        json
          ? JSON.stringify({ command: 'new', module: name, files, options })
          : report({ name, folder, files, options }),
      )
    })
}

interface Begun {
  readonly name: string
  readonly folder: string
  readonly files: readonly string[]
  /** Further compiler options for tsconfig.json. */
  readonly options: readonly string[]
}

function report({ name, folder, files, options }: Begun): string {
  const target = relative(process.cwd(), join(folder, name))
  const at = target.startsWith('.') ? target : `./${target}`
  const lacking = ['typescript', '@types/node'].filter((packageName) => !has(packageName, folder))
  return [
    ...files.map((path) => `wrote ${path}`),
    ...(options.length > 0
      ? [
          `Node.js runs the files without compiling them: put ${options.join(', ')} into the compilerOptions of tsconfig.json.`,
        ]
      : []),
    'Try:',
    ...(lacking.length > 0 ? [`  npm install --save-dev ${lacking.join(' ')}`] : []),
    `  node --test ${join(target, `${name}.test.ts`)}`,
    `  npx comptoir dev --addons ${at}`,
  ].join('\n')
}

/** Whether a package can be found from the folder. */
function has(name: string, folder: string): boolean {
  try {
    createRequire(join(folder, 'index.js')).resolve(`${name}/package.json`)
    return true
  } catch {
    return false
  }
}
