// Answers of methods that open the records which they created or selected.
import type { ModelName } from '#models'

/**
 * The action that shows records: the form of the only one, else a list of all. `more` goes along with it, as
 * a context does.
 */
export function shownRecords(
  name: string,
  res_model: ModelName,
  ids: readonly number[],
  more: object = {},
): object {
  const shared = { type: 'ir.actions.act_window', name, res_model, ...more }
  return ids.length === 1
    ? { ...shared, view_mode: 'form', res_id: ids[0] }
    : { ...shared, view_mode: 'list,form', domain: [['id', 'in', ids]] }
}

/** The action that opens a form in front of what is there, such as the form that pays documents. */
export const shownForm = (name: string, res_model: ModelName, context: object = {}): object => ({
  type: 'ir.actions.act_window',
  name,
  res_model,
  view_mode: 'form',
  views: [[false, 'form']],
  target: 'new',
  context,
})

/** The action that opens an address of the server. */
export const shownAddress = (url: string, target: 'self' | 'download' | 'new' = 'self'): object => ({
  type: 'ir.actions.act_url',
  url,
  target,
})
