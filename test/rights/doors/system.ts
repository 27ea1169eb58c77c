// Models about models, and what belongs to others.
import type { Ids } from '../vault-stage.ts'
import { type Door, door, refused } from './door.ts'

export const systemDoors: readonly Door[] = [
  ...['ir.config_parameter', 'ir.rule', 'ir.model.access', 'ir.logging', 'ir.cron', 'ir.mail_server', 'ir.ui.view'].map((model) =>
    door(model, refused, () => ({ model, method: 'search_read', body: { domain: [] } })),
  ),
  door(
    'keys of others',
    (_: Ids, person: string) => (person === 'visitor' ? refused : 0),
    () => ({ model: 'res.users.apikeys', method: 'search_count', body: { domain: [['user_id.login', '=', 'admin']] } }),
  ),
]
