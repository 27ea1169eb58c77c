// Documents that are created for files, one for each: bills for scans, orders for requests.
import type { Environment, ModelName, Records } from '#models'
import { UserError } from '../../errors.ts'
import { assertAllowed, givenIds, shownRecords } from '../base/index.ts'

/** Creates a document for each file, attaches the file to it, and answers the action that shows them. */
export async function documentsFromFiles<N extends ModelName>(
  env: Environment,
  attachments: unknown,
  create: (count: number) => Promise<Records<N>>,
): Promise<object> {
  const files = env.model('ir.attachment').browse(givenIds(attachments))
  if (files.length === 0) throw new UserError('No files given: pass the files to create documents from.')
  await assertAllowed(files, 'write')
  const documents = await create(files.length)
  await files.writeEach(
    new Map(files.ids.map((id, i) => [id, { res_model: documents.name, res_id: documents.ids[i] ?? 0 }])),
  )
  return shownRecords('Generated Documents', documents.name, documents.ids)
}
