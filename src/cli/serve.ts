// comptoir serve: the command; what it does is in serving.ts, which is loaded when it runs.
import cluster from 'node:cluster'
import { Command } from 'commander'
import { configOf, withConfig } from './options.ts'

/** The command `serve`. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('Answer requests. With an empty data directory it makes a first database and prints how to try it.')
    .addHelpText(
      'after',
      '\nOnce it answers, it prints the line: listening on http://HOST:PORT\nSIGTERM and Ctrl-C stop it: calls in flight finish, new ones are refused.',
    )
    .action(async (_given: object, self: Command) => {
      const config = configOf(self)
      const { serve, work } = await import('./serving.ts')
      await (cluster.isWorker ? work(config) : serve(config))
    })
  return withConfig(command, 'all')
}
