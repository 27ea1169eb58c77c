// comptoir cluster: the PostgreSQL servers that hold databases in addition to that of --database-url.
import { Command } from 'commander'
import { answer, withJson } from './answer.ts'
import { withDatabases } from './databases.ts'
import { withConfig } from './options.ts'
import { table } from './table.ts'

/** The engine, which help and wrong options do not need. */
const rooms = () => import('../databases/index.ts')

function list(): Command {
  return new Command('list')
    .description(
      'List the clusters with their hosts and databases, the one for new databases, and those that do not answer.',
    )
    .action(async (options: { json?: true }, self: Command) => {
      const { clusterFacts } = await rooms()
      const clusters = await withDatabases(self, clusterFacts)
      if (options.json) return console.log(JSON.stringify(clusters))
      const rows = clusters.map(({ name, hosts, databases, takesNew, down }) => [
        name,
        hosts,
        databases,
        takesNew ? 'yes' : 'no',
        down === null ? 'yes' : `no: ${down}`,
      ])
      console.log(table(['cluster', 'hosts', 'databases', 'makes new ones', 'answers'], rows))
    })
}

function add(): Command {
  return new Command('add')
    .description('Add a cluster, with the databases of Comptoir that it has.')
    .argument('<name>', 'name: small letters, digits and dashes')
    .argument(
      '<url>',
      'postgres://… as for --database-url; without a password, ~/.pgpass of each node has it',
    )
    .option('--direct <url>', 'URL that bypasses the pooler, as --direct-url')
    .action(async (name: string, url: string, options: { direct?: string }, self: Command) => {
      const { addCluster } = await rooms()
      const taken = await withDatabases(self, (databases) =>
        addCluster(databases, name, url, options.direct ?? null),
      )
      const also = taken.length ? ` with ${taken.length} databases` : ''
      answer(self, `added the cluster ${name}${also}`, { cluster: name, databases: taken })
    })
}

function remove(): Command {
  return new Command('remove')
    .description('Remove a cluster without databases.')
    .argument('<name>', 'cluster')
    .action(async (name: string, _given: object, self: Command) => {
      const { removeCluster } = await rooms()
      await withDatabases(self, (databases) => removeCluster(databases, name))
      answer(self, `removed the cluster ${name}`, { cluster: name })
    })
}

function use(): Command {
  return new Command('use')
    .description('Create new databases in this cluster from now on; main is the server of --database-url.')
    .argument('<name>', 'cluster')
    .action(async (name: string, _given: object, self: Command) => {
      const { useCluster } = await rooms()
      await withDatabases(self, (databases) => useCluster(databases, name))
      answer(self, `new databases are created in ${name}`, { cluster: name })
    })
}

/** The command `cluster` with its commands. */
export function clusterCommand(): Command {
  const part = new Command('cluster').description(
    'List, add and remove PostgreSQL servers in addition to that of --database-url.',
  )
  for (const command of [list(), add(), remove(), use()])
    part.addCommand(withConfig(withJson(command), 'shared'))
  return part
}
