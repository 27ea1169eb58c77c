// Rights to what belongs to a record by its model and id: messages, followers and activities follow the
// rights of that record, in one place for all of them.
import type { ModelDef } from '#engine'
import type { Scope } from '#models'
import { type Sql, sql } from '../../sql/index.ts'
import { permittedRecord } from '../base/index.ts'

/** Models with a thread of their own. Those that see a delegate's messages have none. */
export const isThread = (def: ModelDef): boolean =>
  def.hasTable && def.fields.get('message_ids')?.inherited === false

/** That the caller may read or write the record that two columns name, as SQL. */
export const ofThread = (scope: Scope, model: string, record: string, operation: 'read' | 'write'): Sql =>
  permittedRecord(scope, {
    model: scope.column(model),
    record: scope.column(record),
    only: scope.fixed.get(model),
    operation,
    isPlace: isThread,
  })

/** That the caller may read the record that a message is about, for what belongs to the message. */
export const ofMessage = (scope: Scope, message: string): Sql =>
  sql`${scope.column(message)} IN (SELECT m.id FROM mail_message m WHERE ${permittedRecord(scope, {
    model: sql`m.model`,
    record: sql`m.res_id`,
    operation: 'read',
    isPlace: isThread,
  })})`
