// comptoir serve: the command. Its work is in supervising.ts, and in serving.ts for the worker processes;
// both are loaded when they run.
import cluster from 'node:cluster'
import { Command } from 'commander'
import { configOf, withConfig } from './options.ts'

/** The command `serve`. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description(
      'Run the server. With an empty data directory it creates a first database and prints how to try it.',
    )
    .addHelpText(
      'after',
      '\nOnce it answers, it prints the line: listening on http://HOST:PORT\nSIGTERM and Ctrl-C stop it: calls in flight finish, new ones are refused.',
    )
    .action(async (_given: object, self: Command) => {
      if (cluster.isWorker) return answer()
      const config = configOf(self)
      const { supervise } = await import('./supervising.ts')
      await supervise(config)
    })
  return withConfig(command, 'all')
}

/** Works as one of the processes that answer. */
async function answer(): Promise<void> {
  try {
    const { work } = await import('./serving.ts')
    await work()
  } finally {
    // After any end, also when loading failed: a process with a channel to the primary process does not end
    // by itself.
    if (process.connected) process.disconnect()
  }
}
