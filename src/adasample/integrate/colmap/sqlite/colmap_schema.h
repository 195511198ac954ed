// SPDX-License-Identifier: Apache-2.0
// The tables of COLMAP's database: those of 3.8, and what is asked of the tables of others.
#pragma once

#include <string>

#include "adasample/integrate/colmap/sqlite/sqlite.h"

namespace adasample {

// Makes the tables of COLMAP 3.8 in an empty database.
void create_colmap_tables(Sqlite& database);

bool has_column(const Sqlite& database, const std::string& table, const std::string& column);

// Throws Error unless the tables that are written have the columns that are written, and want no other.
void check_colmap_tables(const Sqlite& database);

}  // namespace adasample
