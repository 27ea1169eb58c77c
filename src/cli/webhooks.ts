// comptoir webhooks: endpoints of a database as an administrator at the machine sees them; what waits is
// sent.
import { Command } from 'commander'
import { answer, withJson } from './answer.ts'
import { withDatabases } from './databases.ts'
import { withConfig } from './options.ts'
import { table } from './table.ts'

/** The command `webhooks` with its commands. */
export function webhooksCommand(): Command {
  const part = new Command('webhooks').description('List webhooks, and send pending deliveries.')
  for (const command of [list(), deliver()]) part.addCommand(withConfig(withJson(command), 'shared'))
  return part
}

function list(): Command {
  return new Command('list')
    .description(
      'List the endpoints of all users with their pending deliveries; with --json as an array of objects.',
    )
    .requiredOption('--database <name>', 'database of the webhooks')
    .action(async (options: { database: string; json?: true }, self: Command) => {
      const endpoints = await withDatabases(self, async (databases) => {
        const { listWebhooks } = await import('../services/webhooks/administration.ts')
        return listWebhooks(databases, options.database)
      })
      if (options.json) return console.log(JSON.stringify(endpoints))
      const rows = endpoints.map((endpoint) => [
        endpoint.id,
        endpoint.login,
        endpoint.url,
        endpoint.events.join(' '),
        endpoint.reason ? `${endpoint.state}: ${endpoint.reason}` : endpoint.state,
        endpoint.waiting,
        endpoint.dead,
      ])
      if (rows.length)
        console.log(table(['id', 'login', 'url', 'events', 'state', 'waiting', 'given up'], rows))
      else console.error('There are no webhooks.')
    })
}

function deliver(): Command {
  return new Command('deliver')
    .description(
      'Process new changes and send due deliveries once, in this process, even while a server runs.',
    )
    .requiredOption('--database <name>', 'database of the webhooks')
    .option('--again', 'send all pending deliveries now, also those that are scheduled for later')
    .action(async (options: { database: string; again?: true }, self: Command) => {
      const left = await withDatabases(self, async (databases) => {
        const { deliverWebhooks } = await import('../services/webhooks/administration.ts')
        return deliverWebhooks(databases, options.database, options.again ?? false)
      })
      const line = left === 0 ? 'no delivery is pending' : `${left} deliveries are pending`
      answer(self, line, { database: options.database, waiting: left })
    })
}
