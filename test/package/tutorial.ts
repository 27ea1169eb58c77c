// Follows the guides for authors of modules as a newcomer does: in an empty folder, with the package that
// `npm pack` gives.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { type Block, blocksOf, missing } from '../readme/blocks.ts'
import { Shell, shellEnv } from '../readme/shell.ts'
import { root } from '../support/serve.ts'
import { install } from './install.ts'

/** The pages, in the order of reading: the second goes on where the first ends. */
export const forAuthors = ['docs/guides/modules.md', 'docs/guides/testing.md']

/** Runs every block of the pages in `folder`, the steps of the CI file included. */
export async function walk(tarball: string, folder: string): Promise<void> {
  mkdirSync(folder, { mode: 0o711 })
  const shell = new Shell(folder)
  const plain = shellEnv(folder)
  const env = {
    ...plain,
    PATH: `${dirname(process.execPath)}${delimiter}${plain.PATH}`,
    COMPTOIR_TEST_CACHE: join(folder, 'cache'),
    COMPTOIR_PORT: '0',
    // npm and npx use installed packages, without a registry.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  try {
    for (const page of forAuthors) {
      for (const block of blocksOf(readFileSync(join(root, page), 'utf8'))) {
        if (block.file !== null) write(folder, block)
        for (const commands of stepsOf(block)) {
          // Installs the package as a registry would.
          if (/^npm install comptoir$/m.test(commands)) await furnish(tarball, folder)
          const { code, output } = await shell.run(
            commands.replaceAll(/^npm (?:install|ci)\b.*$/gm, ''),
            env,
            block.until,
          )
          const place = `${page} line ${block.line}`
          assert.ok(
            block.until === null ? code === 0 : output.includes(block.until),
            `${place} ended with ${code}:\n${commands}\n${output}`,
          )
          const lacking = missing(block.expected, output)
          assert.equal(lacking, null, `${place} does not print: ${lacking}\n${output}`)
        }
      }
    }
  } finally {
    await shell.stop()
  }
}

function write(folder: string, { file, commands }: Block): void {
  const path = join(folder, String(file))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${commands}\n`)
}

/** The commands of a block: a shell block as it is, the `run` steps of a workflow one by one. */
function stepsOf({ language, file, commands }: Block): readonly string[] {
  if (language === 'yaml')
    return [...commands.matchAll(/^\s+- run: (.+)$/gm)].map(([, command]) => String(command))
  return file === null ? [commands] : []
}

/** The package, the compiler and the types of Node.js, which every author has. */
async function furnish(tarball: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  mkdirSync(join(modules, '@types'))
  const target = await install(tarball, folder)
  for (const name of ['typescript', '@types/node'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  symlinkSync(join(target, 'bin/comptoir.js'), join(modules, '.bin/comptoir'))
  symlinkSync(join(root, 'node_modules/typescript/bin/tsc'), join(modules, '.bin/tsc'))
}
