// The two sides of a balance.

/**
 * Debit and credit of a balance. An item that takes back by storno has its balance on the side that it takes
 * back, with the other sign: -100 is a debit of -100, and not a credit of 100.
 */
export function sides(
  balance: number,
  isStorno = false,
): { readonly debit: number; readonly credit: number } {
  const [debit, credit] = [Math.max(balance, 0), Math.max(-balance, 0)]
  return isStorno ? { debit: -credit + 0, credit: -debit + 0 } : { debit, credit }
}
