// Deferred ids in SQL: the INSERT that draws an id adds it to a setting of the transaction, from which later
// statements of the same flush take it.

const SETTING = 'comptoir.ids'

/** Columns of RETURNING: the id, which joins those of the transaction. */
export const RETURNED_ID = `"id", set_config('${SETTING}', concat_ws(',', NULLIF(current_setting('${SETTING}', true), ''), "id"), true)`

/** All of them, in their places: what `format` puts into a text that spells them (`DeferredId`). */
export const DEFERRED_IDS = `string_to_array(current_setting('${SETTING}'), ',')`
