// Entry of the room `sql`: SQL as values. Opens no connection.
export {
  haveSameColumns,
  type ListedRows,
  listed,
  listedStatement,
  listedValues,
} from './listed.ts'
export { type Column, type RowOf, rowsOf } from './row.ts'
export {
  and,
  cheapFirst,
  decisive,
  FALSE,
  id,
  idList,
  join,
  jsonbObject,
  limited,
  literal,
  MOST_MEMBERS,
  not,
  ofFew,
  ofNow,
  or,
  quote,
  raw,
  readsRows,
  Sql,
  type Statement,
  settled,
  sql,
  TRUE,
} from './sql.ts'
