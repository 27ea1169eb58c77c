// Packs the project and unpacks it as npm would below the node_modules of another project, with only
// its own dependencies.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../support/serve.ts'

const run = promisify(execFile)
/**
 * The parts that npm packs and the build needs. A copy, because other processes may use `dist` and
 * `build` of the checkout.
 */
const parts = [
  'bin',
  'docs',
  'scripts',
  'src',
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'tsconfig.json',
  'vite.config.ts',
]
/** npm stays on this machine, and says nothing but what was asked. */
const quiet = {
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_loglevel: 'error',
}

interface Packed {
  readonly tarball: string
  /** In bytes: the tarball, and what it unpacks to. */
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly string[]
}

/** Runs `npm pack` on a copy of the checkout in `folder`. */
export async function pack(folder: string): Promise<Packed> {
  const copy = join(folder, 'checkout')
  mkdirSync(copy)
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
  const environment = { ...process.env, ...quiet }
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: copy,
    env: environment,
    maxBuffer: 1 << 26,
    shell: process.platform === 'win32',
  })
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { filename: string; size: number; unpackedSize: number; files: { path: string }[] },
  ]
  const { filename, size, unpackedSize, files } = packed
  return { tarball: join(folder, filename), size, unpackedSize, files: files.map(({ path }) => path) }
}

/** Installs the tarball in the project at `folder`. Gives the folder of the package. */
export async function install(tarball: string, folder: string): Promise<string> {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', modules])
  const target = join(modules, 'comptoir')
  renameSync(join(modules, 'package'), target)
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(target, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const [from, to] = [join(root, 'node_modules', name), join(modules, name)]
    // Programs of other platforms are not there.
    if (!existsSync(from)) continue
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(from, to, 'junction')
  }
  return target
}
