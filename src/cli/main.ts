// The entry of the command line's process.
import { run } from './run.ts'

/**
 * Node.js marks its SQLite, which locks files for us, as experimental: nothing an administrator could act on.
 */
function hideExperimentalWarnings(): void {
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void
  process.emitWarning = (...args: unknown[]) => {
    if (args[1] !== 'ExperimentalWarning') emit(...args)
  }
}

/**
 * Standard output may close early, as with `| head` or when a log is rotated: a server goes on without it, a
 * command ends.
 */
function outliveReaders(isServer: boolean): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      if (!isServer) process.exit()
    })
}

const [, , ...args] = process.argv
// The name alone starts a shop: `npx comptoir` in an empty folder is all that somebody new has to type.
if (args.length === 0) args.push('serve')
hideExperimentalWarnings()
outliveReaders(args[0] === 'serve' || args[0] === 'dev')
process.exitCode = await run(args)
