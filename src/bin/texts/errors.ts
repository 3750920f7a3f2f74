/** Texts about the system, files and databases when something fails. */
import { texts } from "../../core/texts/texts.ts";

export const ERRORS = texts({
  // ——— Errors of the system and of the storage ———
  errors: {
    standard_output: ["a saída padrão", "standard output"],
    the_database: ["a base de dados", "the database"],
    the_file: ["o ficheiro", "the file"],
    busy: [
      "Outro programa está a escrever em {path}; tente de novo.",
      "Another program is writing to {path}; try again.",
    ],
    no_room_to_write: [
      "O disco não tem espaço para {path}: nada foi escrito; liberte espaço e tente de novo.",
      "The disk has no room for {path}: nothing was written; free some, and try again.",
    ],
    lost: [
      "A ligação a {path} perdeu-se: {reason}. Não se sabe se a última alteração ficou gravada.",
      "The connection to {path} ended: {reason}. Whether the last change was written is unknown.",
    ],
    broken: [
      "{path} está danificado, ou o disco falha ({reason}); verifique o disco e reponha uma cópia de segurança: lacre restore FICHEIRO",
      "There is damage in {path}, or its disk fails ({reason}); check the disk, and restore a backup: lacre restore FILE",
    ],
    unusable: [
      "O Lacre não consegue usar {path} ({reason}); verifique as permissões e o disco.",
      "Lacre cannot use {path} ({reason}); check its permissions and its disk.",
    ],
    nowhere: [
      "A pasta onde isto foi iniciado já não existe; mude para outra, ou indique a base de dados por inteiro (--db /CAMINHO).",
      "The directory this was started in is gone; change to another, or name the database in full (--db /PATH).",
    ],
    no_file: ["Não há nenhum ficheiro {path}; verifique o nome.", "There is no file {path}; check its name."],
    not_a_directory: [
      "Uma parte de {path} é um ficheiro e não uma pasta; verifique o nome.",
      "A part of {path} is a file, not a directory; check its name.",
    ],
    is_a_directory: ["{path} é uma pasta; indique um ficheiro.", "{path} is a directory; name a file."],
    exists: [
      "{path} já existe e não é substituído; indique outro.",
      "{path} exists already and is not overwritten; name another.",
    ],
    name_too_long: [
      "O nome {path} é demasiado comprido; escolha um mais curto.",
      "The name {path} is too long; choose a shorter one.",
    ],
    circle: [
      "{path} é um atalho para si próprio; indique o ficheiro.",
      "{path} is a link that leads to itself; name the file.",
    ],
    forbidden: [
      "Este utilizador não pode usar {path}; mude as permissões dele ou da pasta, ou indique outro.",
      "This user may not use {path}; change its permissions or its directory's, or name another.",
    ],
    read_only: [
      "{path} está num disco só de leitura; escolha outro sítio.",
      "{path} is on a read-only disk; choose another place.",
    ],
    in_use: ["{path} está a ser usado pelo sistema; escolha outro.", "{path} is in use by the system; choose another."],
    running: [
      "{path} é um programa que está a correr; indique outro ficheiro.",
      "{path} is a program that is running; name another file.",
    ],
    device: [
      "{path} é um dispositivo ou um socket; indique um ficheiro.",
      "{path} is a device or a socket; name a file.",
    ],
    no_room: [
      "O disco não tem espaço para {path}; liberte espaço e tente de novo.",
      "The disk has no room for {path}; free some, and try again.",
    ],
    too_large: [
      "{path} seria maior do que este disco permite; escolha outro disco.",
      "{path} would be larger than this disk allows; choose another disk.",
    ],
    disk_fails: [
      "O disco de {path} falha; verifique-o e escolha outro.",
      "The disk of {path} fails; check it, and choose another.",
    ],
    too_many_open: [
      "Não é possível abrir {path}: há demasiados ficheiros abertos; aumente o limite (ulimit -n) ou termine outros programas.",
      "{path} cannot be opened: too many files are; raise the limit (ulimit -n), or end other programs.",
    ],
    other: ["{path}: {reason}.", "{path}: {reason}."],
  },

  // ——— Files ———
  files: {
    no_directory: ["Não há nenhuma pasta {path}; crie-a primeiro.", "There is no directory {path}; create it first."],
    too_large: [
      "{path} é um dispositivo, ou tem mais de 16 MB; indique um ficheiro menor.",
      "{path} is a device, or larger than 16 MB; name a smaller file.",
    ],
    not_a_file: ["{path} não é um ficheiro; indique um ficheiro.", "{path} is not a file; name a file."],
    out_not_a_file: [
      "{path} não é um ficheiro; indique um ficheiro (ou, para a saída padrão, - em --out).",
      "{path} is not a file; name a file (or, for standard output, - with --out).",
    ],
    is_the_database: [
      "{path} é a própria base de dados; indique outro ficheiro.",
      "{path} is the database itself; name another file.",
    ],
    of_the_database: [
      "{path} pertence à base de dados; indique outro ficheiro.",
      "{path} belongs to the database; name another file.",
    ],
  },

  // ——— Finding and opening a database ———
  database: {
    absent: [
      "Não há nenhuma base de dados em {path}; se estiver noutro sítio, indique-a (--db CAMINHO); para criar uma: lacre serve --new, ou lacre init",
      "There is no database at {path}; if it is elsewhere, name it (--db PATH); to make one: lacre serve --new, or lacre init",
    ],
    absent_but_left: [
      "Não há nenhuma base de dados em {path}, mas {left} ficou de uma: volte a pô-la no sítio, ou reponha uma cópia de segurança: lacre restore FICHEIRO",
      "There is no database at {path}, but {left} is left of one: put it back, or restore a backup: lacre restore FILE",
    ],
    left_of_earlier: [
      "{left} ficou de uma base de dados anterior, cujos números uma nova voltaria a dar: reponha uma cópia de segurança (lacre restore FICHEIRO), ou tire {left} daí.",
      "{left} is left of an earlier database, whose numbers a new one would give again: restore a backup (lacre restore FILE), or move {left} away.",
    ],
    read_only: ["{path} só permite leitura; permita a escrita.", "{path} is read-only; make it writable."],
    several_names: [
      "{path} tem {names} nomes (ligações físicas), e cada um teria um diário próprio, o que daria números repetidos; apague os outros: find PASTA -samefile {path}",
      "{path} has {names} names (hard links), and each would have a log of its own, so that numbers are given twice; remove the others: find DIRECTORY -samefile {path}",
    ],
    mounted_alone: [
      "{path} está montado sozinho, o diário ficaria noutro sítio e os números poderiam repetir-se; monte antes a pasta.",
      "{path} is mounted by itself, so that its log would lie elsewhere and numbers could be given twice; mount its directory instead.",
    ],
    log_missing: [
      "{path} está a ser usado por init ou restore, ou por um servidor cujo diário {path}-wal falta; espere que acabe.",
      "{path} is in use by init or restore, or by a server whose log {path}-wal is missing; wait until it has ended.",
    ],
    not_a_file: [
      "{path} não é um ficheiro; indique o ficheiro de uma base de dados.",
      "{path} is not a file; name a database file.",
    ],
    unreadable: ["Não é possível ler {path}; permita a leitura.", "{path} cannot be read; make it readable."],
    not_a_database: [
      "{path} não é uma base de dados; indique outro ficheiro.",
      "{path} is not a database; name another file.",
    ],
    not_ours: [
      "{path} não é uma base de dados do Lacre; indique outro ficheiro.",
      "{path} is not a Lacre database; name another file.",
    ],
    not_a_lock: [
      "{path} não é do Lacre e não serve para o bloqueio. Veja o que é e remova-o.",
      "{path} is not Lacre's: no lock can be taken on it. Look what it is, and remove it.",
    ],
    in_use: [
      "{path} está em uso: há um servidor a correr, ou init ou restore; pare-o primeiro.",
      "{path} is in use: a server runs on it, or init or restore; stop that first.",
    ],
    damaged: [
      "A base de dados está danificada ({damage}); reponha uma cópia de segurança anterior.",
      "The database is damaged ({damage}); restore an earlier backup.",
    ],
    damaged_file: [
      "{path} está danificado ({damage}); verifique o disco e reponha uma cópia de segurança: lacre restore FICHEIRO. O ficheiro danificado é guardado, com o que veio depois da cópia.",
      "There is damage in {path} ({damage}); check the disk, and restore a backup: lacre restore FILE. The damaged file is kept, with what came after the backup.",
    ],
    damaged_search: [
      `\
Em {path} só está danificado o índice de pesquisa ({damage}), que se faz a partir de outras tabelas; essas estão íntegras. Verifique o disco e faça o ficheiro de novo, sem perder nada:
  lacre archive FICHEIRO
  lacre unarchive FICHEIRO --db NOVO.db`,
      `\
In {path} only the search index is damaged ({damage}), which is made from other tables; those are whole. Check the disk, and make the file anew, which loses nothing:
  lacre archive FILE
  lacre unarchive FILE --db NEW.db`,
    ],
    cannot_be_checked: ["não pode ser verificado", "it cannot be checked"],
    key_and_version: [
      "--signing-key e --signing-key-version têm de vir juntas",
      "--signing-key and --signing-key-version must be given together",
    ],
    unusable_key: ["{path}: {reason}", "{path}: {reason}"],
    no_company: [
      "A base de dados não tem nenhuma empresa; crie uma: lacre company create",
      "The database holds no company; make one: lacre company create",
    ],
    several_companies: [
      "falta --company, porque a base de dados tem várias: {choices}",
      "--company is required, because the database holds several: {choices}",
    ],
    half_restored: [
      "O restauro de {path} foi interrompido, e entretanto outro programa abriu-a: {log} pertence a {aside}, e {path}{suffix} não. Tire daí {path} e o seu {suffix} e volte a restaurar.",
      "A restore of {path} was cut short, and another program has opened it since: {log} belongs to {aside}, and {path}{suffix} does not. Move {path} and its {suffix} away and restore again.",
    ],
  },

  // ——— PostgreSQL ———
  postgres: {
    no_package: [
      "Para usar PostgreSQL falta o pacote pg: npm install pg",
      "PostgreSQL is reached by the package pg, which is not installed: npm install pg",
    ],
    unreachable: [
      "Nenhum servidor PostgreSQL responde em {address} ({reason}); verifique o endereço, e se o servidor está a correr e se chega lá daqui.",
      "No PostgreSQL server answers at {address} ({reason}); check the address, and that the server runs and can be reached from here.",
    ],
    refused: [
      "O servidor em {address} não deixa entrar com este nome ({reason}); verifique o utilizador e a palavra-passe, que vem de PGPASSWORD ou do endereço, e o pg_hba.conf do servidor.",
      "The server at {address} lets nobody in under this name ({reason}); check the role and its password, which PGPASSWORD or the address gives, and the server's pg_hba.conf.",
    ],
    no_database: [
      "O servidor não tem a base de dados de {address} ({reason}); verifique o nome, ou crie-a lá: createdb NOME",
      "The server has no database for {address} ({reason}); check its name, or make one there: createdb NAME",
    ],
    no_rights: [
      "Falta uma permissão ao utilizador em {address} ({reason}); dê-lha (docs/operating.md, On PostgreSQL).",
      "The role lacks a right at {address} ({reason}); grant it (docs/operating.md, On PostgreSQL).",
    ],
    standby: [
      "O servidor em {address} só permite leitura ({reason}); indique aquele onde se escreve.",
      "The server at {address} can only be read ({reason}); name the one that is written to.",
    ],
    pooler: [
      "O que responde em {address} muda de ligação entre transações ({reason}); use um pool por sessão, ou que conheça as instruções preparadas (PgBouncer 1.21: max_prepared_statements).",
      "What answers at {address} changes connections between transactions ({reason}); pool by session, or with prepared statements (PgBouncer 1.21: max_prepared_statements).",
    ],
    full: [
      "O servidor em {address} não tem espaço ({reason}): nada foi escrito; liberte espaço e tente de novo.",
      "The server at {address} has no room ({reason}): nothing was written; make some, and try again.",
    ],
    no_connection: [
      "O servidor em {address} não aceita mais ligações ({reason}); tente de novo, ou aumente o limite.",
      "The server at {address} takes no more connections ({reason}); try again, or raise its limit.",
    ],
    starting: [
      "O servidor em {address} está a arrancar ou a parar ({reason}); tente de novo.",
      "The server at {address} is starting or stopping ({reason}); try again.",
    ],
    certificate: [
      "O certificado do servidor em {address} não é de confiança ({reason}); indique no endereço o de quem o emitiu: sslrootcert=FICHEIRO",
      "The certificate of the server at {address} is not trusted ({reason}); name that of its authority in the address: sslrootcert=FILE",
    ],
    no_ssl: [
      "O servidor em {address} não tem ligações cifradas ({reason}); ative-as lá, ou retire sslmode.",
      "The server at {address} offers no encryption ({reason}); switch it on there, or leave sslmode out.",
    ],
    busy: [
      "O servidor em {address} está ocupado ({reason}); tente de novo.",
      "The server at {address} is busy ({reason}); try again.",
    ],
    unusable: [
      "O Lacre não consegue usar {address} ({reason}); veja os registos do servidor.",
      "Lacre cannot use {address} ({reason}); look into the server's log.",
    ],
    absent: [
      "Não há nenhuma base de dados do Lacre em {address}; se estiver noutro sítio, indique-a (--db); para criar uma: lacre serve --new, ou lacre init",
      "There is no Lacre database at {address}; if it is elsewhere, name it (--db); to make one: lacre serve --new, or lacre init",
    ],
    foreign: [
      "O esquema {schema} em {address} tem tabelas que não são do Lacre; indique outro: ?schema=NOME",
      "The schema {schema} at {address} holds tables that are not Lacre's; name another: ?schema=NAME",
    ],
    exists: [
      "Já há uma base de dados do Lacre em {address}; indique outro esquema (?schema=NOME), ou crie mais uma empresa: lacre company create",
      "There is a Lacre database at {address} already; name another schema (?schema=NAME), or add a company: lacre company create",
    ],
    being_made: [
      "Outro programa está a criar uma base de dados em {address}; espere que acabe.",
      "Another program is making a database at {address}; wait until it has ended.",
    ],
    no_backup: [
      "{address} não é um ficheiro que se copie. Guarde-o com pg_dump, ou com o arquivo do servidor (docs/operating.md, On PostgreSQL).",
      "{address} is no file to be copied. Back it up with pg_dump, or by the server's archive (docs/operating.md, On PostgreSQL).",
    ],
    upgrading: [
      "{address} está a ser atualizada, de {from} para {to}. Só volta atrás quem tiver uma cópia de antes: pg_dump, o arquivo do servidor, ou lacre archive FICHEIRO do programa anterior.",
      "{address} is being upgraded, from {from} to {to}. The way back is a backup from before: pg_dump, the server's archive, or lacre archive FILE of the program before.",
    ],
    no_restore: [
      "{address} está num servidor PostgreSQL, onde este comando não repõe cópias. Use pg_restore, ou o arquivo do servidor (docs/operating.md, On PostgreSQL).",
      "{address} is on a PostgreSQL server, where this command cannot restore. Restore it with pg_restore, or by the server's archive (docs/operating.md, On PostgreSQL).",
    ],
    no_heads: [
      "A nota dos últimos números é de um ficheiro, não de um servidor. Anote os últimos números de {address} com lacre verify --json, e compare com lacre verify --heads.",
      "A note of heads is kept of a file, not of a server. Note the heads of {address} with lacre verify --json, and compare with lacre verify --heads.",
    ],
    no_scheduled_backups: [
      "--backup-to, --backup-every, --keep e --no-backup-because são para um ficheiro; de {address} faz-se cópia com pg_dump, ou com o arquivo do servidor",
      "--backup-to, --backup-every, --keep and --no-backup-because are for a file; {address} is backed up with pg_dump, or by the server's archive",
    ],
  },
});
