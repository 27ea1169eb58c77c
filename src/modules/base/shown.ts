// Actions: answers of methods that open the records which they created or selected, and the declarations of
// such methods.
import { type ModelName, returns } from '#models'

const action = returns<object>('object', 'dict')

/** Declares a method without parameters that returns an action for the client to carry out. */
export const actionMethod = (doc: string) => ({ doc, params: {}, returns: action }) as const

/** The same for a method that changes nothing. */
export const readonlyActionMethod = (doc: string) => ({ ...actionMethod(doc), readonly: true }) as const

/** The window of an action; `shownWindow` completes it. */
export interface ShownWindow {
  readonly name?: string
  readonly res_model: string
  readonly view_mode?: string
  readonly views?: readonly unknown[]
  readonly target?: string
  readonly context?: object
  readonly res_id?: number | false | undefined
  readonly domain?: unknown
}

/** An action of a window with all that clients read of it: its views, target and context. */
export function shownWindow<W extends ShownWindow>(action: W) {
  const { view_mode = 'form', views, target = 'current', context = {}, ...shown } = action
  return {
    type: 'ir.actions.act_window',
    ...shown,
    view_mode,
    views: views ?? view_mode.split(',').map((mode) => [false, mode]),
    target,
    context,
  }
}

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
  const shared = { name, res_model, ...more }
  return ids.length === 1
    ? shownWindow({ ...shared, view_mode: 'form', res_id: ids[0] })
    : shownWindow({ ...shared, view_mode: 'list,form', domain: [['id', 'in', ids]] })
}

/** The action that opens a form in front of what is there, such as the form that pays documents. */
export const shownForm = (name: string, res_model: ModelName, context: object = {}): object =>
  shownWindow({ name, res_model, target: 'new', context })

/** The action that opens an address of the server. */
export const shownAddress = (url: string, target: 'self' | 'download' | 'new' = 'self'): object => ({
  type: 'ir.actions.act_url',
  url,
  target,
})
