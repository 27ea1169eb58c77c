// The verbs of administrators at the machine about webhooks: listed, and sent now.

import type { Databases } from '../../databases/index.ts'
import { only } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import { objectsOf } from '../command-audit.ts'
import { run, WebhookWorker } from './worker.ts'

/** An endpoint in the administrator's list, without its secret. */
export interface ListedWebhook {
  readonly id: number
  readonly login: string
  readonly url: string
  readonly events: readonly string[]
  readonly state: string
  readonly reason: string | null
  readonly waiting: number
  readonly dead: number
}

/** The endpoints of a database. */
export async function listWebhooks(server: Databases, name: string): Promise<readonly ListedWebhook[]> {
  const database = await server.database(name)
  return database.system((env) =>
    objectsOf<ListedWebhook>(
      env,
      sql`SELECT json_build_object('id', w.id, 'login', u.login, 'url', w.url, 'events', COALESCE(w.events, '[]'), 'state', w.state, 'reason', w.reason,
        'waiting', (SELECT count(*) FROM comptoir_webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'waiting'),
        'dead', (SELECT count(*) FROM comptoir_webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'dead'))::text
      FROM comptoir_webhook w JOIN res_users u ON u.id = w.user_id ORDER BY w.id`,
    ),
  )
}

/** Takes up and sends what is due; `again`: all that waits is due now. Gives how many still wait. */
export async function deliverWebhooks(server: Databases, name: string, again: boolean): Promise<number> {
  const database = await server.database(name)
  if (again)
    await run(
      database,
      sql`UPDATE comptoir_webhook_delivery SET next_at = now() AT TIME ZONE 'UTC' WHERE state = 'waiting'`,
    )
  const worker = new WebhookWorker(server, {
    log: { error: (message, facts) => console.error(message, facts) },
  })
  try {
    await worker.settle(name)
  } finally {
    await worker.close()
  }
  const row = only(
    await run<[number]>(
      database,
      sql`SELECT count(*)::int FROM comptoir_webhook_delivery WHERE state = 'waiting'`,
    ),
  )
  return row[0]
}
