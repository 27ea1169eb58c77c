// The entry of the command line's process.
import { run } from './run.ts'

/** Node.js marks its SQLite, which the file locks use, as experimental: administrators cannot act on that. */
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
// Without arguments the server starts: a new user types only `npx comptoir` in an empty folder.
if (args.length === 0) args.push('serve')
hideExperimentalWarnings()
outliveReaders(args[0] === 'serve' || args[0] === 'dev')
process.exitCode = await run(args)
