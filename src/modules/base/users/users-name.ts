// Names of users and how they are searched: by the contact's name; an exactly equal login comes first
// (spec/models-api.md section 2, "Display names").
import type { ComputedOptions, Environment } from '#models'
import { sql } from '../../../sql/index.ts'

/** The contact's name, joined. */
export const userNameSql: NonNullable<ComputedOptions['sql']> = (scope) => {
  const partner = scope.model.fields.get('partner_id')
  const name = partner?.comodel?.fields.get('name')
  return partner && name ? scope.join(partner).value(name) : null
}

/** A condition on the display name: one user with that very login, else whatever the contact's name says. */
export async function searchUserName(
  operator: string,
  value: unknown,
  env: Environment,
): Promise<readonly unknown[]> {
  const negative = operator.startsWith('not') || operator === '!='
  const texts = [value].flat().filter((text): text is string => typeof text === 'string' && text !== '')
  if (!negative && ['=', 'in', 'ilike', 'like'].includes(operator) && texts.length) {
    const rows = await env.rows(sql`SELECT id FROM res_users WHERE login = ANY(${texts}::text[])`, {
      reads: ['res.users'],
      row: ['int'],
    })
    if (rows.length) return [['id', 'in', rows.map((row) => row[0])]]
  }
  return [['partner_id.display_name', operator, value]]
}
