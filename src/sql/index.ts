// Entry of the room `sql`: SQL as values. Opens no connection.
export { and, FALSE, id, join, literal, not, or, quote, raw, Sql, type Statement, sql, TRUE } from './sql.ts'
