// From model to model without leaving the page: what is kept in memory alone, such as the key, lives on.

/** Whether a link leads to another page of the documentation. */
function isDocument(link: HTMLAnchorElement): boolean {
  return (
    link.origin === location.origin &&
    /^\/doc(\/[^/]+|\/guides\/[^/]+)?$/.test(link.pathname) &&
    !link.pathname.endsWith('.json')
  )
}

/**
 * Takes over the links between documents. `arrived` is called when another page stands in place of the old
 * one.
 */
export function navigate(arrived: () => void): void {
  let currentPath = location.pathname
  const go = async (url: string) => {
    const answer = await fetch(url).catch(() => null)
    const page =
      answer?.ok && !answer.redirected
        ? new DOMParser().parseFromString(await answer.text(), 'text/html')
        : null
    const [next, old] = [page?.getElementById('doc'), document.getElementById('doc')]
    // Whatever is not a document, a login page or a failure, the browser shows as it would have.
    if (!page || !next || !old) return location.assign(url)
    currentPath = new URL(url, location.href).pathname
    document.title = page.title
    old.replaceWith(document.adoptNode(next))
    document.getElementById('main')?.focus({ preventScroll: true })
    if (!location.hash) scrollTo(0, 0)
    arrived()
  }
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (
      !link ||
      event.defaultPrevented ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    if (!isDocument(link) || link.pathname === location.pathname) return
    event.preventDefault()
    history.pushState(null, '', link.href)
    void go(link.href)
  })
  addEventListener('popstate', () => {
    if (location.pathname !== currentPath) void go(location.href)
  })
}
