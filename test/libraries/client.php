<?php
// PHP with its xmlrpc extension and with plain JSON, with the options that people leave out: empty arrays in the place of keywords, contexts and objects.
// Run by debian.test.ts with the server's address, a database, a login, its password and an API key.
[, $url, $db, $login, $password, $key] = $argv;

function post($url, $type, $body, $headers = []) {
    $header = array_merge(["Content-Type: $type"], $headers);
    $context = stream_context_create(['http' => ['method' => 'POST', 'header' => $header, 'content' => $body, 'ignore_errors' => true]]);
    return file_get_contents($url, false, $context);
}
function call($path, $method, ...$args) {
    global $url;
    return xmlrpc_decode(post("$url$path", 'text/xml', xmlrpc_encode_request($method, $args)), 'UTF-8');
}
function rpc($service, $method, ...$args) {
    global $url;
    $params = ['service' => $service, 'method' => $method, 'args' => $args];
    return json_decode(post("$url/jsonrpc", 'application/json', json_encode(['jsonrpc' => '2.0', 'id' => 1, 'params' => $params])), true);
}
function json2($path, $body) {
    global $url, $db, $key;
    $headers = ["Authorization: bearer $key", "X-Odoo-Database: $db"];
    return json_decode(post("$url/json/2/$path", 'application/json', json_encode($body), $headers), true);
}
function same($expected, $got, $about) {
    if ($expected === $got) return;
    fwrite(STDERR, "$about: expected " . json_encode($expected) . ', got ' . json_encode($got) . "\n");
    exit(1);
}

same('19.0', call('/xmlrpc/2/common', 'version')['server_version'], 'version');
$uid = call('/xmlrpc/2/common', 'authenticate', $db, $login, $password, []);
same(2, $uid, 'authenticate with an empty array');
same(false, call('/xmlrpc/2/common', 'authenticate', $db, $login, 'wrong', []), 'a wrong password');
$kw = fn(...$args) => call('/xmlrpc/2/object', 'execute_kw', $db, $uid, $password, ...$args);

$id = $kw('res.partner', 'create', [['name' => 'PHP', 'country_id' => '', 'comment' => null]], []);
same(true, is_int($id), 'create');
same([['id' => $id, 'name' => 'PHP']], $kw('res.partner', 'read', [[$id]], ['fields' => ['name'], 'context' => []]), 'read');
same([$id], $kw('res.partner', 'search', [[['id', '=', $id]]], []), 'search with an empty array as keywords');
same(1, $kw('res.partner', 'search_count', [[['id', '=', $id]]]), 'search_count without keywords');
same([$id], $kw('res.partner', 'search', [[['id', '=', $id]]], ['limit' => '5', 'offset' => '', 'order' => '']), 'a window as texts');
same(true, $kw('res.partner', 'check_access_rights', ['read'], ['raise_exception' => false]), 'check_access_rights');
same(true, $kw('res.partner', 'write', [[$id], []], []), 'write of an empty array');
same(true, $kw('res.partner', 'write', [[$id], ['name' => 'Other', 'email' => 'php@example.com']]), 'write');
same('Other', $kw('res.partner', 'read', [$id, ['name']])[0]['name'], 'a bare id');
same(true, isset($kw('res.partner', 'fields_get', [], ['attributes' => ['string', 'type']])['name']['type']), 'fields_get');
$rows = $kw('res.partner', 'search_read', [[['name', '=', 'Other']]], ['fields' => ['name', 'country_id'], 'limit' => 1]);
same([['id' => $id, 'name' => 'Other', 'country_id' => false]], $rows, 'search_read');
$fault = $kw('res.partner', 'write', [[$id], ['country_id' => 999999]]);
same(2, $fault['faultCode'] ?? null, 'a fault');

same(2, rpc('common', 'login', $db, $login, $password)['result'], 'login over JSON-RPC');
$json = rpc('object', 'execute_kw', $db, $uid, $password, 'res.partner', 'read', [[$id], ['name']], []);
same([['id' => $id, 'name' => 'Other']], $json['result'], 'JSON-RPC with an empty array as keywords');
$json = rpc('object', 'execute', $db, $uid, $password, 'res.partner', 'search', [['id', '=', $id]], 0, false, false);
same([$id], $json['result'], 'execute with false for what is not wanted');

// Typed values of the extension, its options for texts, and what a form that was left empty sends.
function typed($path, $method, $args, $options) {
    global $url;
    return xmlrpc_decode(post("$url$path", 'text/xml', xmlrpc_encode_request($method, $args, $options)), 'UTF-8');
}
$utf8 = ['encoding' => 'UTF-8', 'escaping' => 'markup', 'verbosity' => 'no_white_space'];
$since = '20000101T00:00:00';
xmlrpc_set_type($since, 'datetime');
$found = typed('/xmlrpc/2/object', 'execute_kw', [$db, $uid, $password, 'res.partner', 'search', [[['id', '=', $id], ['create_date', '>', $since]]]], $utf8);
same([$id], $found, 'a moment in a domain');
$bytes = "\x89PNG\r\n";
$typed = $bytes;
xmlrpc_set_type($typed, 'base64');
$fault = typed('/xmlrpc/2/object', 'execute_kw', [$db, $uid, $password, 'ir.attachment', 'create', [['name' => 'x', 'datas' => $typed]]], $utf8);
same(true, str_contains($fault['faultString'] ?? '', 'send bytes as base64 in a string'), 'bytes of the type that the service does not take');
$bytes = chunk_split(base64_encode($bytes));
$file = typed('/xmlrpc/2/object', 'execute_kw', [$db, $uid, $password, 'ir.attachment', 'create', [['name' => 'é ☃ <&>', 'datas' => $bytes]]], $utf8);
[$row] = $kw('ir.attachment', 'read', [[$file], ['name', 'datas', 'res_id', 'description']]);
same(['é ☃ <&>', 'iVBORw0K'], [$row['name'], preg_replace('/\s/', '', $row['datas'])], 'bytes and a name');
$form = ['name' => 'Form', 'email' => '', 'phone' => null, 'country_id' => '', 'category_id' => [], 'color' => '7', 'is_company' => '1', 'partner_latitude' => '2.5'];
$filled = $kw('res.partner', 'create', [$form]);
[$row] = $kw('res.partner', 'read', [[$filled], ['email', 'country_id', 'category_id', 'color', 'is_company', 'partner_latitude']], []);
unset($row['id']);
ksort($row);
same(['category_id' => [], 'color' => 7, 'country_id' => false, 'email' => '', 'is_company' => true, 'partner_latitude' => 2.5], $row, 'a form');
$many = $kw('res.partner', 'create', [[['name' => 'One'], ['name' => 'Two']]], []);
same(2, count($many), 'several records');
same([], $kw('res.partner', 'search_read', [[['id', 'in', []]]], ['fields' => [], 'limit' => 0]), 'an empty list to look in');
same(count($many), count($kw('res.partner', 'search_read', [[['id', 'in', $many]]], ['fields' => [], 'limit' => 0])), 'no limit');
same(true, $kw('res.partner', 'unlink', [array_merge($many, [$filled])]), 'unlink of several');
same(1, $kw('res.partner', 'read', ['abc', ['name']])['faultCode'] ?? null, 'what is no id');
same(true, isset(call('/xmlrpc/2/common', 'no_such_call')['faultCode']), 'an unknown call');

$body = ['ids' => $id, 'specification' => ['name' => [], 'country_id' => ['fields' => []]], 'context' => []];
same([['id' => $id, 'name' => 'Other', 'country_id' => false]], json2('res.partner/web_read', $body), 'JSON-2 with empty arrays for objects');
same(true, json2('res.partner/unlink', ['ids' => $id]), 'unlink');
same([], json2('res.partner/search', ['domain' => [['id', '=', $id]]]), 'gone');
echo "done\n";
