// The two sides of a balance.

/** Debit and credit of a balance. */
export const sides = (balance: number): { readonly debit: number; readonly credit: number } => ({
  debit: Math.max(balance, 0),
  credit: Math.max(-balance, 0),
})
